"""`weft.crawl` and `weft.resume`: a crawl in a program of yours.

async for page in weft.crawl("https://example.org", depth=2):
    print(page.url, page.title)

summary = await weft.crawl("https://example.org", output="crawl-example.org").run()
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Unpack

import msgspec

from weft.api.crawl_run import Plan, Responses
from weft.api.crawling import Crawling
from weft.config import CrawlConfig
from weft.engines.crawl import CrawlOfEngines
from weft.errors import BadInput
from weft.folder.layout import CrawlFolder, load_config
from weft.pipeline.crawl import Crawl
from weft.pipeline.seeds import with_seeds_logins
from weft.settings.keywords import CrawlSettings
from weft.settings.table import CRAWL_SETTINGS
from weft.settings.values import read_keywords


def crawl(
    *urls: str,
    output: str | Path | None = None,
    responses: Responses = "pages",
    allow_empty: bool = False,
    **settings: Unpack[CrawlSettings],
) -> Crawling:
    """Crawl from these URLs; iterate over the result to get its pages, or `await` its `run()`.

    `output` is the crawl folder; one that holds a crawl already is resumed. Without it, the archive goes to a
    temporary folder, which is removed when the crawl has ended and none of its pages is held. The settings are those
    of the command line, politeness included: one request a second to a host, robots.txt obeyed.

    With `responses="all"` the loop also gets redirects, 404s and URLs that brought no response. Where not one page
    comes, the loop and `run` raise `weft.CrawlFailed`, unless `allow_empty` lets it pass.
    """
    return Crawling(plan_to_crawl(urls, output, responses, settings, allow_empty=allow_empty))


def resume(
    folder: str | Path,
    *urls: str,
    retry_failed: bool = False,
    responses: Responses = "pages",
    allow_empty: bool = False,
    **settings: Unpack[CrawlSettings],
) -> Crawling:
    """Go on with the crawl in a folder; the settings take the place of those it began with, the URLs join its seeds.

    With `retry_failed` what failed for good is tried again, too. `responses` and `allow_empty` are as for `crawl`.
    """
    return Crawling(
        plan_to_resume(folder, urls, responses, settings, retry_failed=retry_failed, allow_empty=allow_empty)
    )


def plan_to_crawl(
    urls: tuple[str, ...],
    output: str | Path | None,
    responses: Responses,
    settings: CrawlSettings,
    *,
    allow_empty: bool,
) -> Plan:
    """What `crawl` does when its turn comes."""
    folder = _path(output) if output is not None else None
    return Plan(folder, lambda path: _open(path, urls, settings), responses, allow_empty)


def plan_to_resume(
    folder: str | Path,
    urls: tuple[str, ...],
    responses: Responses,
    settings: CrawlSettings,
    *,
    retry_failed: bool,
    allow_empty: bool,
) -> Plan:
    """What `resume` does when its turn comes."""

    def opens(path: Path) -> Crawl:
        return open_again(path, urls, read_keywords(settings), retry_failed=retry_failed)

    return Plan(_path(folder), opens, responses, allow_empty)


def _path(folder: object) -> Path:
    """The crawl folder; an empty name, as of a variable that is not set, is none: a crawl would be strewn about."""
    if not isinstance(folder, str | PathLike) or isinstance(path := fspath(folder), bytes):
        raise BadInput(f"a crawl folder is named by a text or a path, not {folder!r}")
    if not path or "\0" in path:
        raise BadInput(f"{path!r} is not the name of a crawl folder")
    return Path(path)


def _open(folder: Path, urls: tuple[str, ...], settings: CrawlSettings) -> Crawl:
    fields = read_keywords(settings)
    if not CrawlFolder.is_one(folder):
        return CrawlOfEngines.create(folder, CrawlConfig(seeds=urls, **fields))
    stored = load_config(folder)
    if urls and (seeds := _with_seeds(stored, urls, fields).seeds) != stored.seeds:
        raise BadInput(f"{folder} holds a crawl of other URLs: {', '.join(stored.seeds)}; not {', '.join(seeds)}")
    return open_again(folder, urls, fields)


def open_again(folder: Path, urls: Iterable[str], fields: Mapping[str, Any], *, retry_failed: bool = False) -> Crawl:
    """The crawl in a folder, to go on with these fields of its settings changed, and with further seeds."""
    stored = load_config(folder)
    for setting in CRAWL_SETTINGS:
        name = str(setting.field)
        if not setting.on_resume and name in fields and fields[name] != getattr(stored, name):
            raise BadInput(f"{folder} holds a crawl with another {setting.name!r}, which cannot be changed any more")
    asked = _with_seeds(stored, urls, fields)
    seeds = tuple(dict.fromkeys((*stored.seeds, *asked.seeds)))
    return CrawlOfEngines.resume(folder, retry_failed=retry_failed, **{**fields, "seeds": seeds, "auth": asked.auth})


def _with_seeds(stored: CrawlConfig, urls: Iterable[str], fields: Mapping[str, Any]) -> CrawlConfig:
    """The settings with these seeds; logins that stand in them are settings, too."""
    auth = fields.get("auth", stored.auth)
    return with_seeds_logins(msgspec.structs.replace(stored, seeds=tuple(urls), auth=auth))
