"""The recursive cases of wget's and wget2's own suites: said in weft's words, they come out right."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer.main

import weft
from tests.fetch import certificates, servers
from weft.cli.app import app
from weft.cli.settings import BY_NAME
from weft.cli.sources import read_flags
from weft.mirror.translation import from_wget

from .ftp_lister import listing
from .mirrors import FOLDER, tree
from .site_server import OWN, Answer, Site, serving
from .wget_cases import CASES, FTP, LISTERS, MISSING, SECURE, SPIDERS, Case, fill

DOCS = Path(__file__).parents[2] / "docs" / "mirror.md"
QUICK: dict[str, Any] = {"allow_private": True, "delay": 0, "workers": 1, "user_agent": "test"}
_HASH = re.compile(r"-[0-9a-f]{8}\b")


def settings_of(case: Case, url: str = "http://x/") -> dict[str, Any]:
    """What the command line that --from-wget prints says, as a program says it."""
    made = from_wget(f"wget {case.options.partition('#')[0]} {url}").flags
    if case.own is not None:
        known = [flag for flag in ("--no-host-folder", "--flat", "--no-requisites-anywhere") if flag in made]
        made = [*known, *case.own]
    command = typer.main.get_command(app).get_command(None, "mirror")  # type: ignore[attr-defined]
    given = read_flags(command.make_context("mirror", [*made, "http://x/"]).params)
    return {BY_NAME[name].keyword: one.value for name, one in given.items() if name != "output"}


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with serving(Site()) as served:
        yield served


def names(site: Site, cwd: Path) -> set[str]:
    found = (name.replace(f"{OWN}@{site.port}", "HOST").replace(" ", "␣") for name in tree(cwd))
    return {_HASH.sub("-#", name) for name in found}


def cases() -> list[Any]:
    return [
        pytest.param(case, id=f"{case.name} {case.options}", marks=[] if case.is_quick else [pytest.mark.large])
        for case in CASES
    ]


@pytest.mark.parametrize("case", cases())
def test_a_recursive_case_comes_out_right(case: Case, site: Site, tmp_path: Path) -> None:
    fill(site, case.site)
    settings = QUICK | settings_of(case)
    url = case.start
    if case.start.startswith("/"):
        url = site.url(case.start)
    else:
        settings["proxy"] = f"http://{OWN}:{site.port}"
    asyncio.run(weft.mirror(url, output=tmp_path / FOLDER, **settings))
    found = names(site, tmp_path)
    if case.site == "long":
        assert len(found) == len(case.expected.split())
        return
    assert found == case.files
    if case.keeps:
        assert case.keeps in next(iter(tree(tmp_path).values())).decode()
    if case.change:
        before = site.answers[OWN, case.change]
        site.put(case.change, Answer(before.body + b" changed", before.content_type))
        asyncio.run(weft.mirror(url, output=tmp_path / FOLDER, update=True, **settings))
        after = tree(tmp_path)
        assert names(site, tmp_path) == case.files
        is_saved = any(name.endswith(case.change.rpartition("/")[2]) for name in case.files)
        assert any(data.endswith(b" changed") for data in after.values()) == is_saved


@pytest.mark.large
@pytest.mark.parametrize(("name", "options", "expected", "count"), FTP)
def test_a_recursive_case_of_ftp_comes_out_right(
    name: str, options: str, expected: str, count: int, tmp_path: Path
) -> None:
    served, own = tmp_path / "served", tmp_path / "server"
    (served / "one").mkdir(parents=True)
    own.mkdir()
    for path in ("a.txt", "-a", "é.txt", "one/two.txt"):
        (served / path).write_text(path)
    with servers.vsftpd(served, own) as port:
        settings = QUICK | settings_of(Case(name, options, "", "", ""))
        for update in (False, True):
            asyncio.run(weft.mirror(f"ftp://{OWN}:{port}/", output=tmp_path / FOLDER, update=update, **settings))
            found = {_HASH.sub("-#", path.replace(f"ftp@{OWN}@{port}/", "")) for path in tree(tmp_path)}
            assert found == set(expected.split())


@pytest.mark.parametrize("case", SECURE, ids=lambda case: case.name)
def test_a_recursive_case_over_tls_comes_out_right(case: Case, tmp_path: Path) -> None:
    with serving(Site(), tls=certificates.self_signed()) as site:
        fill(site, case.site)
        settings = QUICK | settings_of(case, f"https://{OWN}:{site.port}/")
        asyncio.run(weft.mirror(f"https://{OWN}:{site.port}{case.start}", output=tmp_path / FOLDER, **settings))
        assert names(site, tmp_path) == case.files
        left_out = [f'href="https://{OWN}:{site.port}/{name}"' for name in ("missing.xhtml", "missing2.html")]
        saved = tree(tmp_path)["index.html"].decode()
        assert all(link in saved for link in left_out)
        assert 'href="sub.html"' in saved
        assert "/missing.xhtml" not in {path for _, path, _ in site.log}


@pytest.mark.large
@pytest.mark.parametrize(("name", "plain", "with_a", "count"), LISTERS)
def test_a_case_of_listings_comes_out_right(
    name: str, plain: tuple[str, ...], with_a: tuple[str, ...], count: int, tmp_path: Path
) -> None:
    with listing(plain, with_a) as port:
        settings = QUICK | settings_of(Case(name, "-nd -r --level=1 --accept '*.txt'", "", "", ""))
        asyncio.run(weft.mirror(f"ftp://{OWN}:{port}/", output=tmp_path / FOLDER, **settings))
    assert tree(tmp_path) == {name: name.encode() for name in {*plain, *with_a}}


@pytest.mark.large
def test_a_spider_is_led_by_functions_too(site: Site, tmp_path: Path) -> None:
    fill(site, "turned")
    function = "tests.mirror.wget_functions:turned_links"
    asyncio.run(weft.crawl(site.url("/turned.html"), output=tmp_path / "crawl", extract=[function], **QUICK).run())
    assert {path for _, path, _ in site.log} >= {"/turned.html", "/second.html", "/third.html"}


@pytest.mark.large
def test_a_spider_visits_all_and_saves_nothing(site: Site, tmp_path: Path) -> None:
    fill(site, "errors")
    summary = asyncio.run(weft.crawl(site.url("/index.html"), output=tmp_path / "crawl", **QUICK).run())
    assert {path for _, path, _ in site.log} >= {"/index.html", "/fine.html", "/gone", "/broken"}
    assert "404" in summary.statuses
    assert not list(tmp_path.rglob("*.html"))


def test_the_docs_count_the_cases_as_they_are() -> None:
    right = sum(case.count for case in CASES + SECURE) + sum(count for *_, count in (*SPIDERS, *FTP, *LISTERS))
    missing = sum(one.count for one in MISSING)
    text = DOCS.read_text()
    assert f"{right} of {right + missing} recursive cases" in text
    for one in MISSING:
        assert f"| {one.name} | `{one.options}` | {one.count} | {one.why} |" in text
