"""`example.org.` and `example.org` are one server: it is asked once, and by one rule."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.pipeline.ledgers import open_ledger
from weft.folder.layout import database_of
from weft.pipeline.engine import Ending
from weft.types import FoundLink, Link
from weft.url import url_id

from .crawling import crawl_all, resume
from .named_sites import Answer, NamedSites, named_sites

HOME, SITE, DOTTED = "home.test", "site.test", "site.test."


def answer(host: str, path: str, port: int) -> Answer:
    if path == "/robots.txt":
        return 404, {}, ""
    if host == HOME:
        links = (f"http://{name}:{port}{path}" for name in (SITE, DOTTED) for path in ("/a", "/b"))
    else:
        links = (one for one in ("/older",) if path == "/old")
    return 200, {}, "".join(f'<a href="{link}">x</a>' for link in links)


@pytest.mark.parametrize(("changes", "paths"), [({}, {"/a", "/b"}), ({"blocked_hosts": (SITE,)}, set())])
def test_both_names_have_one_turn_and_one_block_and_each_page_comes_once(
    changes: dict[str, tuple[str, ...]], paths: set[str], tmp_path: Path
) -> None:
    with named_sites((HOME, SITE, DOTTED), answer) as sites:
        crawl_all(tmp_path / "crawl", sites.config(HOME, **changes))
        assert {one.host for one in sites.asked} == ({HOME, SITE} if paths else {HOME})
        assert sorted(one.path for one in sites.of(SITE) if one.path != "/robots.txt") == sorted(paths)


def test_a_crawl_in_whose_queue_such_names_are_goes_on(tmp_path: Path) -> None:
    """They were another host before."""
    folder = tmp_path / "crawl"
    with named_sites((HOME, SITE, DOTTED), answer) as sites:
        crawl_all(folder, sites.config(HOME))
        _queue_as_before(folder, sites)
        ending, files = resume(folder)
        assert ending is Ending.DONE
        assert sites.pages(DOTTED) == {"/old", "/older"}
        assert files.row(sites.url(DOTTED, "/old")).status == 200


def _queue_as_before(folder: Path, sites: NamedSites) -> None:
    url = sites.url(DOTTED, "/old")
    with open_ledger(database_of(folder).parent, is_new=False) as book:
        batch = book.ledger.batch()
        book.ledger.schedule(batch, [FoundLink(url_id(url), DOTTED, Link(url, 1))])
        book.ledger.write(batch)
