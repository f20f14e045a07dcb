"""What is told of a host: counts, robots.txt, addresses, and its authorities that fail."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

import weft
from tests.pipeline.small_web import Sites, SmallWeb, page, text
from tests.ports import closed_port
from weft.explain import in_queue
from weft.explain.result import Counted, HostExplanation
from weft.folder.reading import CrawlReader
from weft.simweb import SimWeb
from weft.simweb.behaviour import Broken, Fault, Fixed
from weft.types import Link, PageRow, Timing
from weft.url import url_id

from .crawls import HOME, HOST, written

SITE = "site.test"
ROBOTS = "User-agent: *\nDisallow: /private/\n\nSitemap: http://site.test/map\n"
_encode = msgspec.msgpack.Encoder().encode


def test_a_host_is_told_with_what_came_of_its_urls(tmp_path: Path) -> None:
    dead = closed_port()

    def sites(web: SimWeb) -> Sites:
        hrefs = ("/page", "/broken", "/private/1", "/private/2", "/x.zip", f"http://{SITE}:{dead}/")
        return {
            (SITE, "/robots.txt"): text(ROBOTS),
            (SITE, "/"): page(*hrefs),
            (SITE, "/page"): Fixed(b"x"),
            (SITE, "/broken"): Broken(Fault.CLOSE_BEFORE_HEAD),
        }

    web = SmallWeb((SITE,), sites)
    web.crawl(tmp_path / "crawl", SITE, refuse_suffixes=("zip",))
    found = weft.explain(SITE.upper(), tmp_path / "crawl")
    assert isinstance(found, HostExplanation)
    assert (found.visited, found.failed, found.queued) == (Counted(3), Counted(1), Counted(1))
    assert found.refused == {"robots": 2, "suffix": 1}
    with CrawlReader(tmp_path / "crawl") as reader:
        (address,) = {row.address for row in reader.rows() if row.status}
    assert found.addresses == [address]
    assert {robots.file: robots.status for robots in found.robots}[web.url(SITE, "/robots.txt")] == 200
    (left,) = [one for one in found.authorities if one.left]
    assert left.name == f"http://{SITE}:{dead}"
    assert "connect-refused" in left.left
    assert found.words.startswith(f"URLs of {SITE}: 3 visited, 1 failed, 1 waiting, 3 refused; ")


def test_of_a_host_whose_only_port_is_left_it_is_told_why(tmp_path: Path) -> None:
    url = f"http://127.0.0.1:{closed_port()}/"
    web = SmallWeb((SITE,), lambda web: {(SITE, "/"): page(url)})
    web.crawl(tmp_path / "crawl", SITE)
    found = weft.explain("127.0.0.1", tmp_path / "crawl")
    assert found.words == (
        f"URLs of 127.0.0.1: 1 waiting; it is left for another run (robots.txt is unreachable (connect-refused)): "
        f"`weft resume {tmp_path / 'crawl'}` tries it again"
    )


@pytest.mark.parametrize(("waited_s", "is_slow"), [(0.2, False), (4.0, True)])
def test_a_slow_server_rests_longer_and_that_is_said(waited_s: float, is_slow: bool, tmp_path: Path) -> None:
    with written(tmp_path / "crawl") as crawl:
        batch = crawl.state.batch()
        row = PageRow(HOME, 200, 1.8e9, 0, timing=Timing(wait_s=waited_s))
        batch.put("page", url_id(HOME), _encode(row))
        crawl.state.write(batch)
        found = crawl.explain_host()
    assert found.remarks[0] == f"its last answer, at 2027-01-15 08:00:00 UTC, began after {waited_s:g} s"
    assert found.remarks[1:] == ["so slow a server rests longer: 8 s after that answer (--slow-factor)"] * is_slow


def test_of_a_host_with_very_many_urls_not_all_are_counted(tmp_path: Path) -> None:
    with written(tmp_path / "crawl") as crawl:
        crawl.schedule(*(Link(f"{HOME}{number}", 1) for number in range(50)))
        assert in_queue.queued_of(crawl.state, HOST, most_rows=50) == Counted(50)
        assert in_queue.queued_of(crawl.state, HOST, most_rows=49) == Counted(49, is_more=True)


def test_the_hosts_of_one_site_are_counted_apart(tmp_path: Path) -> None:
    with written(tmp_path / "crawl") as crawl:
        batch = crawl.state.batch()
        for url in (HOME, f"http://www.{HOST}/", f"http://{HOST}.evil.test/"):
            batch.put("page", url_id(url), _encode(PageRow(url, 200, 1.8e9, 0)))
        crawl.state.write(batch)
        crawl.schedule(Link(f"http://www.{HOST}/1", 1), Link(f"http://{HOST}.evil.test/1", 1))
        found = crawl.explain_host()
    assert (found.visited, found.queued) == (Counted(1), Counted(0))
