from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import urljoin

from bench.corpus import is_gone, truth_of
from bench.pages import FORBIDDEN_PREFIX, Shape, all_pages, host_address, page_path, write_pages
from bench.server import Weather
from bench.tally import page_key

SHAPE = Shape(hosts=3, pages_a_host=40, page_bytes=6_000, links_a_page=40)
ORIGINS = [f"http://{host_address(host)}:8000" for host in range(SHAPE.hosts)]


def _hrefs(file: Path) -> list[str]:
    return re.findall(r'href="([^"]*)"', file.read_text())


def _walk(folder: Path, gone: Weather | None = None) -> set[str]:
    """The page keys that links lead to from the hosts' first pages, read from the files."""
    to_visit = [f"{origin}/" for origin in ORIGINS]
    known = set(to_visit)
    found = set()
    while to_visit:
        url = to_visit.pop()
        address, _, path = url.removeprefix("http://").replace(":8000", "").partition("/")
        if path.startswith(FORBIDDEN_PREFIX.lstrip("/")) or (gone and is_gone(address, f"/{path}", gone)):
            continue
        found.add(page_key(address, f"/{path}"))
        for href in _hrefs(folder / address / (path or "index.html")):
            link = urljoin(url, href)
            if link not in known:
                known.add(link)
                to_visit.append(link)
    return found


def test_every_page_is_reached_by_links_from_the_first_ones(tmp_path: Path) -> None:
    write_pages(SHAPE, tmp_path / "pages", ORIGINS)
    assert _walk(tmp_path / "pages") == truth_of(SHAPE, None)
    assert len(truth_of(SHAPE, None)) == SHAPE.hosts * SHAPE.pages_a_host


def test_a_page_that_is_gone_and_what_only_it_leads_to_are_not_in_the_truth(tmp_path: Path) -> None:
    weather = Weather(latency_ms=1, latency_max_ms=1, gone_share=200)
    write_pages(SHAPE, tmp_path / "pages", ORIGINS)
    truth = truth_of(SHAPE, weather)
    assert truth == _walk(tmp_path / "pages", weather)
    assert SHAPE.hosts <= len(truth) < SHAPE.hosts * SHAPE.pages_a_host


def test_a_page_has_its_size_and_its_number_of_links_and_none_is_like_another(tmp_path: Path) -> None:
    write_pages(SHAPE, tmp_path / "pages", ORIGINS)
    files = sorted((tmp_path / "pages").rglob("*.html"))
    assert {len(_hrefs(file)) for file in files} == {SHAPE.links_a_page}
    assert all(0.97 * SHAPE.page_bytes <= file.stat().st_size <= SHAPE.page_bytes for file in files)
    assert len({file.read_bytes() for file in files}) == len(files) == len(list(all_pages(SHAPE)))


def test_the_same_pages_are_made_each_time(tmp_path: Path) -> None:
    for name in ("one", "other"):
        write_pages(Shape(hosts=1, pages_a_host=3), tmp_path / name, ORIGINS)
    for file in (tmp_path / "one").rglob("*.html"):
        assert file.read_bytes() == (tmp_path / "other" / file.relative_to(tmp_path / "one")).read_bytes()


def test_a_host_has_an_address_on_this_machine_and_a_first_page() -> None:
    assert [host_address(0), host_address(49), host_address(250)] == ["127.0.1.1", "127.0.1.50", "127.0.2.1"]
    assert page_path(0) == "/"
