"""Settings by host, as servers see them: who was told what, how often, and by which rules."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from weft.api.explain import explain
from weft.folder.layout import load_config
from weft.pipeline.crawl import Crawl
from weft.settings.host_tables import read_hosts

from .crawling import resume, run
from .engine_process import await_others, engine, prepare_folder
from .named_sites import Answer, NamedSites, named_sites

SLOW_S = 0.25
SHOP, SLOW, OWN, OTHER = "shop.test", "slow.shop.test", "own.shop.test", "other.test"
ROBOTS = "User-agent: special\nDisallow: /for-others\n\nUser-agent: *\nDisallow: /for-special\n"
PATHS = ("/for-special", "/for-others", "/private/x", "/public/y")
LOGIN = f"Basic {b64encode(b'me:hunter2').decode()}"

HOSTS: dict[str, Any] = {
    "*.SHOP.test": {"header": ["X-Team: shop", "Accept-Language: de"], "exclude": "/private/*"},
    SLOW: {"delay": SLOW_S, "user_agent": "special/2.0"},
    OWN: {"connections_per_host": 3, "ignore_robots": True, "auth": "me:hunter2", "exclude": "none"},
    "*": {"user_agent": "everybody/1.0"},
}


def answer(host: str, path: str, port: int) -> Answer:
    if path == "/robots.txt":
        return 200, {"Content-Type": "text/plain"}, ROBOTS
    if path == "/jump":
        return 302, {"Location": f"http://{OTHER}:{port}/landed"}, ""
    if path == "/public/y":
        return 200, {}, '<!DOCTYPE html><meta name="special" content="nofollow"><title>x</title><a href="/beyond">x</a>'
    links = "".join(f'<p><a href="{one}">x</a>' for one in (*PATHS, "/jump")) if path == "/" else ""
    return 200, {}, f"<!DOCTYPE html><title>{path}</title>{links}"


@pytest.fixture(scope="module")
def sites() -> Iterator[NamedSites]:
    with named_sites((SHOP, SLOW, OWN, OTHER), answer) as served:
        yield served


@pytest.fixture(scope="module")
def crawled(sites: NamedSites, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("by-host") / "crawl"
    config = sites.config(SHOP, SLOW, OWN, hosts=read_hosts(HOSTS, "hosts"), headers=(("X-All", "1"),))
    run(Crawl.create(folder, config))
    return folder


def told(sites: NamedSites, host: str, header: str) -> set[str]:
    return {one.headers.get(header, "") for one in sites.of(host)}


def test_each_host_is_told_its_own_user_agent_in_requests_for_robots_txt_too(crawled: Path, sites: NamedSites) -> None:
    assert told(sites, SLOW, "user-agent") == {"special/2.0"}
    assert {one for host in (SHOP, OWN, OTHER) for one in told(sites, host, "user-agent")} == {"everybody/1.0"}


def test_headers_of_a_table_replace_the_crawls_and_go_to_its_hosts_alone(crawled: Path, sites: NamedSites) -> None:
    for host in (SHOP, SLOW, OWN):
        assert told(sites, host, "x-team") == {"shop"}
        assert told(sites, host, "accept-language") == {"de"}
        assert told(sites, host, "x-all") == {""}
    assert told(sites, OTHER, "x-all") == {"1"}


def test_what_is_for_a_host_does_not_follow_its_redirect(crawled: Path, sites: NamedSites) -> None:
    assert "/landed" in sites.pages(OTHER)
    assert told(sites, OTHER, "x-team") == told(sites, OTHER, "authorization") == {""}


def test_a_login_of_a_table_goes_to_its_host_alone_and_is_not_archived(crawled: Path, sites: NamedSites) -> None:
    assert told(sites, OWN, "authorization") == {LOGIN}
    assert {one for host in (SHOP, SLOW) for one in told(sites, host, "authorization")} == {""}
    config = crawled / "state" / "config.json"
    assert "hunter2" in config.read_text()
    assert (config.stat().st_mode & 0o777, config.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    others = b"".join(one.read_bytes() for one in crawled.glob("*") if one.is_file())
    assert b"hunter2" not in others


def test_a_host_waits_its_own_delay(crawled: Path, sites: NamedSites) -> None:
    gaps = [one.gap_s for one in sites.of(SLOW)]
    assert len(gaps) >= 4
    assert min(gaps) >= SLOW_S * 0.95  # the end of an answer is noted before it is sent


def test_a_host_that_knows_us_by_another_name_has_another_group_of_robots_txt(crawled: Path, sites: NamedSites) -> None:
    assert sites.pages(SLOW) & set(PATHS) == {"/for-special", "/public/y"}
    assert sites.pages(SHOP) & set(PATHS) == {"/for-others", "/public/y"}


def test_meta_robots_of_a_host_address_us_by_the_name_that_it_knows(crawled: Path, sites: NamedSites) -> None:
    assert "/beyond" in sites.pages(SHOP)
    assert "/beyond" not in sites.pages(SLOW)


def test_robots_txt_is_ignored_where_a_table_says_so_and_nowhere_else(crawled: Path, sites: NamedSites) -> None:
    assert "/robots.txt" not in {one.path for one in sites.of(OWN)}
    assert sites.pages(OWN) >= set(PATHS)  # its table takes back the pattern of *.shop.test, too


def test_a_refusal_by_a_hosts_pattern_is_told_with_table_and_pattern(crawled: Path, sites: NamedSites) -> None:
    told = explain(sites.url(SHOP, "/private/x"), crawled)
    assert "refused by exclude of [host.\"*.shop.test\"] '/private/*'" in told.words, told.words


def test_explain_tells_whose_delay_a_host_has(crawled: Path, sites: NamedSites) -> None:
    told = explain(SLOW, crawled)
    assert told.delay_s == SLOW_S  # type: ignore[union-attr]
    assert f'[host."{SLOW}"]' in told.delay  # type: ignore[union-attr]


def test_a_host_may_have_more_connections_than_others(tmp_path: Path) -> None:
    """Each page of OWN is answered only when three are asked for at once; of the others one is, ever."""

    def pages(host: str, path: str, port: int) -> Answer:
        links = "".join(f'<p><a href="/{n}">x</a>' for n in range(6)) if path == "/" else ""
        return 200, {}, f"<!DOCTYPE html><title>x</title>{links}"

    with named_sites((SHOP, OWN), pages, {OWN: 3}) as sites:
        hosts = read_hosts({OWN: {"connections-per-host": 3}}, "hosts")
        config = sites.config(SHOP, OWN, hosts=hosts, ignore_robots=True, connections_per_address=1)
        run(Crawl.create(tmp_path / "crawl", config))
        assert (len(sites.pages(OWN)), len(sites.pages(SHOP))) == (7, 7)
        assert (sites.most_active[OWN], sites.most_active[SHOP]) == (3, 1)


def test_settings_by_host_are_kept_on_resume_and_can_be_changed_there(tmp_path: Path) -> None:
    with named_sites((SHOP, OTHER), answer) as sites:
        hosts = read_hosts({SHOP: {"exclude": "/p*", "user_agent": "first/1.0"}}, "hosts")
        folder = tmp_path / "crawl"
        run(Crawl.create(folder, sites.config(SHOP, hosts=hosts, scope="host")))
        assert sites.pages(SHOP) == {"/", "/for-others", "/jump"}
        assert load_config(folder).hosts == hosts
        resume(folder)
        assert sites.pages(SHOP) == {"/", "/for-others", "/jump"}
        before = len(sites.asked)
        # Wider patterns find what was refused, and another name is allowed what was forbidden.
        resume(folder, hosts=read_hosts({SHOP: {"exclude": "/private/*", "user_agent": "special/2.0"}}, "hosts"))
        later = sites.asked[before:]
        assert {one.path for one in later} - {"/robots.txt"} == {"/public/y", "/for-special"}
        assert {one.headers["user-agent"] for one in later} == {"special/2.0"}
        resume(folder, hosts=read_hosts({SHOP: {"ignore-robots": True}}, "hosts"))
        assert sites.pages(SHOP) == {"/", "/jump", "/beyond", *PATHS}


def test_what_another_name_is_allowed_returns_to_the_queue_though_nothing_else_is_to_be_asked(tmp_path: Path) -> None:
    with named_sites((SHOP, OTHER), answer) as sites:
        folder = tmp_path / "crawl"
        run(Crawl.create(folder, sites.config(SHOP, scope="host", user_agent="first/1.0")))
        assert "/for-special" not in sites.pages(SHOP)
        before = len(sites.asked)
        resume(folder, hosts=read_hosts({SHOP: {"user_agent": "special/2.0"}}, "hosts"))
        assert [one.path for one in sites.asked[before:]] == ["/for-special"]


def test_settings_by_host_hold_after_a_kill(tmp_path: Path) -> None:
    def chain(host: str, path: str, port: int) -> Answer:
        number = int(path.strip("/") or 0)
        return 200, {}, f'<!DOCTYPE html><title>x</title><a href="/{number + 1}">x</a>' if number < 8 else "<p>x"

    with named_sites((SHOP, SLOW), chain) as sites:
        hosts = read_hosts({"*.shop.test": {"user_agent": "kept/1.0", "header": "X-Team: a", "delay": 0.05}}, "hosts")
        folder = tmp_path / "crawl"
        prepare_folder(folder, sites.config(SHOP, SLOW, hosts=hosts, ignore_robots=True))
        with engine(folder) as process:
            await_others(lambda: len(sites.asked) >= 5, "five requests")
            process.kill_group()
        resume(folder)
        assert sites.pages(SHOP) == sites.pages(SLOW) == {"/", *(f"/{n}" for n in range(1, 9))}
        assert {one.headers["user-agent"] for one in sites.asked} == {"kept/1.0"}
        assert {one.headers["x-team"] for one in sites.asked} == {"a"}
