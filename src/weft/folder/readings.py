"""The folders of a cluster's nodes read together, as if one node had crawled all of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from functools import cached_property
from pathlib import Path

from weft.clock import Clock
from weft.errors import BadInput
from weft.folder.belonging import Belonging, belonging_of
from weft.folder.joined import JoinedFiles, JoinedRows
from weft.folder.layout import crawl_in, load_config
from weft.folder.reading import CrawlReader
from weft.folder.refused_list import left_out_in, lines_of
from weft.stats import Counters
from weft.stats.counters import added_up
from weft.stats.figures import LeftOut
from weft.store import Archive
from weft.types import PageRow, SideRow

Folders = str | Path | Sequence[str | Path]


class NodesReader(CrawlReader):
    """What is committed in several folders at the moment of opening."""

    def __init__(self, paths: Sequence[Path]) -> None:
        crawl = of_one_crawl(paths).crawl
        with ExitStack() as opened:
            self.readers = [opened.enter_context(CrawlReader(path)) for path in paths]
            self._opened = opened.pop_all()
        first = next((reader for reader in self.readers if reader.config.seeds), self.readers[0])
        self.path, self.config, self.state = first.path, first.config, first.state
        self.name = crawl
        self.items = sum(reader.items for reader in self.readers)
        self._files = files = JoinedFiles([Archive(one.state, one.path / "archive", Clock()) for one in self.readers])
        self.database = self.joined = JoinedRows([reader.state for reader in self.readers], files)

    def close(self) -> None:
        """Let go of the folders."""
        self._opened.close()

    @cached_property
    def counters(self) -> Counters:
        """Added up. What is known or queued in several folders counts once."""
        counters = added_up([reader.counters for reader in self.readers])
        counters.seen = sum(1 for _ in self.joined.scan("seen"))
        counters.queued = sum(1 for _ in self.joined.scan("queue"))
        return counters

    def rows(self) -> Iterator[PageRow]:
        """A row for each URL that was visited, in no particular order: the newest."""
        return self.joined.pages()

    def row_of(self, url_id: bytes) -> PageRow | None:
        """The newest row of one URL."""
        return self.joined.page(url_id)

    def sides(self) -> Iterator[tuple[int, int, SideRow]]:
        """DNS answers and robots.txt files in the archives: file, offset, row."""
        return self.joined.sides()

    def refused(self) -> Iterator[bytes]:
        """The lines of `refused.jsonl`, as of now."""
        return lines_of(self.joined, self.config.max_pages_per_host)

    def left_out(self) -> list[LeftOut]:
        """How many URLs each rule left out."""
        return left_out_in(self.joined, self.config.max_pages_per_host)


def paths_of(folders: Folders) -> list[Path]:
    """The crawl folders that are meant by one folder or several; a mirror has its own inside."""
    named = [folders] if isinstance(folders, str | Path) else folders
    if not named:
        raise BadInput("name a crawl folder")
    return [crawl_in(Path(folder)) for folder in named]


def open_reader(paths: Sequence[Path]) -> CrawlReader:
    """A reader of one crawl folder, or of those of a cluster's nodes."""
    return CrawlReader(paths[0]) if len(paths) == 1 else NodesReader(paths)


def of_one_crawl(paths: Sequence[Path]) -> Belonging:
    """BadInput unless all folders are of nodes of one crawl, and each is another's; whose the first one is."""
    known: dict[str, Path] = {}
    first: Belonging | None = None
    for path in paths:
        load_config(path)  # says what is wrong with it
        its = belonging_of(path)
        if its is None:
            raise BadInput(f"{path} holds a crawl of its own: only folders of one cluster's nodes are read together")
        first = first or its
        if its.crawl_id != first.crawl_id:
            what = f"of the crawl {its.crawl}" if its.crawl != first.crawl else f"of another crawl named {its.crawl}"
            raise BadInput(f"{path} is {what}, {paths[0]} of {first.crawl}: they are not read together")
        if its.folder in known:
            raise BadInput(f"{path} and {known[its.folder]} are the same folder of node {its.node}: name it once")
        known[its.folder] = path
    assert first is not None
    return first
