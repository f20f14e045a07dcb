"""`weft.site_report`: what the owner of a site wants to fix."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from weft.folder.reading import CrawlReader
from weft.folder.readings import Folders, open_reader, paths_of
from weft.folder.refused_list import Rows
from weft.folder.reread_links import linked_rows
from weft.site.analysis import Analysis, Check
from weft.site.findings import SiteReport
from weft.site.report import Earlier, SiteFindings

Progress = Callable[[str, int], None]


def site_report(
    folder: Folders,
    *,
    since: Folders | None = None,
    check_external: bool = False,
    most_findings: int | None = None,
    most_referrers: int | None = None,
    progress: Progress | None = None,
) -> SiteReport:
    """What is worth fixing on the site that was crawled, each with all pages that refer to it.

    A crawl with `links=True` has kept what is needed; of any other, all pages are read again from the archive.

    With `since`, an earlier crawl of the same site, each finding says whether it is new, and each section what was
    fixed. `check_external` asks once for each URL of other sites. Both `most_…` bound the lists, not the counts.
    """
    with open_findings(folder, since=since, check_external=check_external, progress=progress) as findings:
        return findings.report(most_findings, most_referrers)


@contextmanager
def open_findings(
    folder: Folders,
    *,
    since: Folders | None = None,
    check_external: bool = False,
    progress: Progress | None = None,
) -> Iterator[SiteFindings]:
    """The same while the crawl's folder is open, for those who write more than memory holds."""
    told = progress or (lambda stage, rows: None)
    earlier: Earlier | None = None
    if since is not None:
        paths = paths_of(since)
        with _open(paths, told) as (reader, database):
            earlier = Earlier(str(paths[0]), Analysis(reader, database, told))
    paths = paths_of(folder)
    with _open(paths, told) as (reader, database):
        check: Check | None = None
        if check_external:
            from weft.api.external import ExternalCheck  # it brings the engine

            check = ExternalCheck(paths[0], reader.config)
        yield SiteFindings(Analysis(reader, database, told, check), reader.config, earlier)


@contextmanager
def _open(paths: Sequence[Path], told: Progress) -> Iterator[tuple[CrawlReader, Rows]]:
    """The crawl, and its rows with those of links, which are read again from the archive if it kept none."""
    read = 0

    def advance(pages: int) -> None:
        nonlocal read
        read += pages
        told("Reading pages again, as the crawl kept no links (--links):", read)

    with open_reader(paths) as reader, linked_rows(reader, advance=advance) as database:
        yield reader, database
