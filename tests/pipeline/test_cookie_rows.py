"""Cookies over stops and kills: a crawl that goes on is the visitor it was."""

from __future__ import annotations

import signal
from collections import Counter
from collections.abc import Mapping
from contextlib import closing
from itertools import count
from pathlib import Path

import pytest

from weft.cli.exits import Exit
from weft.clock import FakeClock
from weft.fetch.cookies import MAX_COOKIES_PER_SITE, MAX_TOTAL_BYTES, CookieStore
from weft.fetch.set_cookie import Cookie
from weft.folder.layout import database_of
from weft.pipeline.cookie_rows import CookieRows, cookies_in, row_key
from weft.state import State
from weft.url import bucket_of, split

from .crawling import CrawlFiles, crawl_all, resume
from .engine_process import WITHIN_S, prepare_folder, start_weft, weft_environment
from .live_site import Answer, html, links, served

PAGES = [f"/{number}" for number in range(6)]


class Members:
    """A site that knows its visitors by a session cookie, which its home page sets; pages are for them only."""

    def __init__(self) -> None:
        self._numbers = count(1)
        self.sessions: set[str] = set()
        self.turned_away: list[str] = []

    def __call__(self, path: str, headers: Mapping[str, str]) -> Answer:
        if path == "/":
            session = f"sid=secret-{next(self._numbers)}"
            self.sessions.add(session)
            return 200, {"Set-Cookie": f"{session}; Path=/"}, links(*PAGES)
        if headers.get("Cookie") not in self.sessions:
            self.turned_away.append(path)
            return 403, {}, "who are you?"
        return html(path)


def visitor(state: State, clock: FakeClock, *given: Cookie) -> tuple[CookieStore, CookieRows]:
    store = CookieStore(clock)
    if given:
        store.load(given)
    return store, CookieRows(state, store)


def put(store: CookieStore, url: str, *headers: bytes) -> None:
    store.take(split(url), tuple((b"set-cookie", header) for header in headers))


def commit(state: State, rows: CookieRows) -> None:
    batch = state.batch()
    rows.seal(batch)
    state.write(batch)
    rows.settle()


def sent(store: CookieStore, url: str) -> bytes:
    return store.header_for(split(url))


# ── crawls ─────────────────────────────────────────────────────────────────────────────────────────────


def test_a_session_cookie_is_sent_again_after_a_stop(tmp_path: Path) -> None:
    members = Members()
    with served(members) as site:
        crawl_all(tmp_path / "crawl", site.config(cookies=True, max_pages=2))
        _, files = resume(tmp_path / "crawl", max_pages=None)
    assert site.pages(files) == {"/", *PAGES}
    assert not members.turned_away
    assert Counter(site.asked).most_common(1)[0][1] == 1


@pytest.mark.parametrize("point", ["commit", "commit-written"])
def test_a_killed_crawl_never_has_a_page_without_its_cookies(point: str, tmp_path: Path) -> None:
    members, folder = Members(), tmp_path / "crawl"
    with served(members) as site:
        prepare_folder(folder, site.config(cookies=True, connections_per_host=1))
        code = None
        for number in range(1, 40):
            environment = weft_environment() | {"WEFT_CRASH_AT": f"{point}:{2 + number}"}
            process = start_weft("resume", str(folder), "--quiet", environment=environment)
            process.communicate(timeout=WITHIN_S)
            if (code := process.returncode) != -signal.SIGKILL:
                break
    assert number > 2
    assert code == Exit.DONE
    assert site.pages(CrawlFiles(folder)) == {"/", *PAGES}
    assert not members.turned_away


def test_without_cookies_kept_there_are_no_rows_and_kept_ones_are_in_a_private_folder(tmp_path: Path) -> None:
    with served(Members()) as site:
        site.crawl(tmp_path / "plain", max_pages=1)
        site.crawl(tmp_path / "kept", max_pages=1, cookies=True)
        resume(tmp_path / "kept", cookies=False, max_pages=2)
        assert site.asked.count("/") == 2
    for name, cookies in (("plain", 0), ("kept", 1)):
        with closing(State(database_of(tmp_path / name), is_read_only=True)) as state:
            assert len(list(cookies_in(state))) == cookies
    assert (tmp_path / "kept" / "state").stat().st_mode & 0o777 == 0o700
    others = [path for path in (tmp_path / "kept").rglob("*") if path.is_file() and "state" not in path.parts]
    assert others
    assert not [path for path in others if path.suffix != ".gz" and b"secret-" in path.read_bytes()]


# ── rows ───────────────────────────────────────────────────────────────────────────────────────────────


def test_what_was_sent_before_a_stop_is_sent_after_it_in_the_same_order(tmp_path: Path) -> None:
    clock = FakeClock()
    with closing(State(tmp_path / "db")) as state:
        store, rows = visitor(state, clock)
        put(store, "http://a.test/x/y", *(b"c%d=%d; Path=/" % (9 - number, number) for number in range(9)), b"deep=1")
        put(store, "https://www.a.test/", b"s=1; Secure; Domain=a.test", b"mine=2")
        commit(state, rows)
        put(store, "http://a.test/", b"c5=again; Path=/")  # keeps its age
        commit(state, rows)
        again, _ = visitor(state, clock)
        for url in ("http://a.test/x/y", "https://a.test/", "https://www.a.test/", "http://b.a.test/"):
            assert sent(again, url) == sent(store, url)
        assert len(again) == len(store) == 12
        assert all(key.startswith(bucket_of("a.test")) for key, _ in state.scan("cookie"))


def test_a_cookie_that_its_server_ends_leaves_the_disk_and_so_does_an_outdated_one(tmp_path: Path) -> None:
    clock = FakeClock()
    with closing(State(tmp_path / "db")) as state:
        store, rows = visitor(state, clock)
        put(store, "http://a.test/", b"ended=1", b"short=2; Max-Age=10", b"long=3; Max-Age=1000")
        commit(state, rows)
        assert len(list(cookies_in(state))) == 3
        put(store, "http://a.test/", b"ended=; Max-Age=0")
        commit(state, rows)
        assert {cookie.name for cookie in cookies_in(state)} == {"short", "long"}
        clock.advance(11)
        again, rows = visitor(state, clock)
        commit(state, rows)
        assert sent(again, "http://a.test/") == b"long=3"
        assert [cookie.name for cookie in cookies_in(state)] == ["long"]


def test_rows_have_the_bounds_of_the_store(tmp_path: Path) -> None:
    with closing(State(tmp_path / "db")) as state:
        store, rows = visitor(state, FakeClock())
        for host in range(3):
            put(store, f"http://h{host}.a.test/", *(b"c%d=x; Domain=a.test" % (n + 1000 * host) for n in range(200)))
            commit(state, rows)
        assert len(list(cookies_in(state))) == len(store) == MAX_COOKIES_PER_SITE
        for site in range(6000):
            put(store, f"http://site{site}.test/", b"a=%b" % (b"x" * 4000))
            commit(state, rows)
        kept = list(cookies_in(state))
        assert sum(cookie.size_bytes for cookie in kept) <= MAX_TOTAL_BYTES
        assert len(kept) == len(store)
        again, _ = visitor(state, FakeClock())
        assert len(again) == len(kept)
        assert sent(again, "http://site5999.test/") == sent(store, "http://site5999.test/") != b""


def test_ten_thousand_hosts_have_their_cookies_again_and_nothing_is_written_that_is_there(tmp_path: Path) -> None:
    with closing(State(tmp_path / "db")) as state:
        store, rows = visitor(state, FakeClock())
        for site in range(10_000):
            put(store, f"http://site{site}.test/", b"a=%d" % site)
        commit(state, rows)
        again, _ = visitor(state, FakeClock())
        assert [sent(again, f"http://site{site}.test/") for site in (0, 5000, 9999)] == [b"a=0", b"a=5000", b"a=9999"]
        assert again.take_changes() == {}
        assert len(again) == 10_000


def test_the_users_file_is_taken_once_and_holds_again_when_it_has_changed(tmp_path: Path) -> None:
    clock, url = FakeClock(), "http://a.test/"
    given = (
        Cookie("login", "old", "a.test", "/"),
        Cookie("theme", "dark", "a.test", "/"),
        Cookie("x", "1", "b.test", "/"),
    )
    with closing(State(tmp_path / "db")) as state:
        store, rows = visitor(state, clock, *given)
        put(store, url, b"login=fresh", b"theme=; Max-Age=0", b"new=1")
        commit(state, rows)
        again, rows = visitor(state, clock, *given)
        assert sent(again, url) == b"login=fresh; new=1", "what the server said later holds"
        assert sent(again, "http://b.test/") == b"x=1"
        commit(state, rows)
        other, rows = visitor(state, clock, Cookie("login", "new one", "a.test", "/"))
        assert b"login=new one" in sent(other, url)
        assert b"new=1" in sent(other, url)
        commit(state, rows)
        assert row_key(("a.test", "/", "login")) in {key for key, _ in state.scan("cookie")}
        last, _ = visitor(state, clock, Cookie("login", "new one", "a.test", "/"))
        assert b"login=new one" in sent(last, url)


def test_a_file_that_was_not_committed_is_taken_again(tmp_path: Path) -> None:
    with closing(State(tmp_path / "db")) as state:
        for _ in range(2):  # a kill between
            store, _ = visitor(state, FakeClock(), Cookie("login", "1", "a.test", "/"))
            assert sent(store, "http://a.test/") == b"login=1"
