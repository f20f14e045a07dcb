"""A login by a form before a crawl: what it opens, what ends it, and where a password never is."""

from __future__ import annotations

import asyncio
import gzip
import re
import signal
from collections.abc import Iterator, Mapping
from itertools import count
from pathlib import Path
from urllib.parse import parse_qs

import pytest

import weft
from tests.cli.running import Finished
from weft.cli.exits import Exit
from weft.clock import Clock
from weft.config import CrawlConfig
from weft.errors import BadInput, GetFailed
from weft.fetch import FetchConfig, Fetcher, MemoryBudget
from weft.folder.layout import load_config
from weft.page import Page
from weft.page.large_pages import MAX_TREE_BYTES
from weft.pipeline.crawl import Crawl
from weft.pipeline.engine import Ending
from weft.pipeline.login import LoginFailed, filled_form
from weft.pipeline.single_page import Guest

from .crawling import CrawlFiles, is_clean_for_warcio, resume, run
from .engine_process import WITHIN_S, prepare_folder, start_weft, weft_environment
from .live_site import Answer, html, links, redirect, served
from .posting_site import Asked, PostingSite, posting

PASSWORD = "open sesame & co"
IN_A_BODY = ("open+sesame", "open sesame", "open%20sesame")
FIELDS = (("user", "me"), ("password", PASSWORD))
PAGES = {"/", "/a", "/b"}


class Club:
    """Pages for members only; who logs in has a token of the form, which is good once, and gets a session."""

    def __init__(self) -> None:
        self._numbers = count(1)
        self.tokens: set[str] = set()
        self.sessions: set[str] = set()
        self.logins = 0

    def __call__(self, asked: Asked) -> Answer:
        cookies = asked.headers.get("Cookie", "")
        match asked.method, asked.path:
            case "GET", "/login":
                return self.form()
            case "POST", "/login":
                return self.let_in(asked)
        if not any(session in cookies for session in self.sessions):
            return redirect("/login")
        return html(links("/a", "/b", "/logout") if asked.path == "/" else f"members only: {asked.path}")

    def form(self, words: str = "") -> Answer:
        token = f"token-{next(self._numbers)}"
        self.tokens.add(token)
        search = '<form action="/search"><input name="q"></form>'
        fields = '<input name="user"><input type="password" name="password">'
        fields += f'<input type="hidden" name="csrf" value="{token}">'
        page = f'{search}{words}<form method="post">{fields}<button name="go" value="1">Log in</button></form>'
        return 200, {"Set-Cookie": f"seen={token}; Path=/"}, f"<!DOCTYPE html><title>Log in</title>{page}"

    def let_in(self, asked: Asked) -> Answer:
        given = {name: values[0] for name, values in parse_qs(asked.body.decode()).items()}
        token = given.get("csrf", "")
        is_theirs = token in self.tokens and f"seen={token}" in asked.headers.get("Cookie", "")
        self.tokens.discard(token)
        if not is_theirs or (given.get("user"), given.get("password"), given.get("go")) != ("me", PASSWORD, "1"):
            return self.form("wrong password")
        self.logins += 1
        session = f"session=secret-{next(self._numbers)}"
        self.sessions.add(session)
        return redirect("/", Set_Cookie=f"{session}; Path=/; HttpOnly")


@pytest.fixture
def club() -> Club:
    return Club()


@pytest.fixture
def site(club: Club) -> Iterator[PostingSite]:
    with posting(club) as site:
        yield site


def logging_in(site: PostingSite, password: str = PASSWORD) -> dict[str, object]:
    return {
        "login": f"{site.origin}/login",
        "login_fields": (("user", "me"), ("password", password)),
        "exclude": ("*/logout",),
    }


def pages_of(site: PostingSite, folder: Path) -> set[str]:
    return {url.removeprefix(site.origin) for url, status in CrawlFiles(folder).responses().items() if status == 200}


def everything_in(folder: Path) -> Iterator[tuple[Path, str]]:
    """All files that others may read, unpacked."""
    for path in folder.rglob("*"):
        if path.is_file() and "state" not in path.relative_to(folder).parts:
            data = path.read_bytes()
            yield path, (gzip.decompress(data) if path.suffix == ".gz" else data).decode("utf-8", "replace")


# ── it works ───────────────────────────────────────────────────────────────────────────────────────────


def test_pages_behind_a_form_with_a_token_are_crawled_and_no_file_has_the_password(
    club: Club, site: PostingSite, tmp_path: Path
) -> None:
    folder = tmp_path / "crawl"
    crawl = Crawl.create(folder, site.config(**logging_in(site)))
    assert run(crawl) is Ending.DONE
    assert pages_of(site, folder) == PAGES
    assert club.logins == 1
    assert [one.method for one in site.asked].count("POST") == 1
    assert (site.asked[0].method, site.asked[0].path) == ("GET", "/login"), "first of all"
    assert crawl.counters.pages == 3, "what was on the way is no page"
    files = CrawlFiles(folder)
    assert is_clean_for_warcio(files)
    told = dict(everything_in(folder))
    assert any("POST /login HTTP/1.1" in text for text in told.values())
    assert any(re.search(r"POST /login HTTP/1.1\r\n(?:.+\r\n)+\r\n\[removed\]", text) for text in told.values())
    for path, text in told.items():
        assert not [secret for secret in IN_A_BODY if secret in text], path
        assert "Cookie: session=" not in text.replace("Set-Cookie: session=", ""), path
    for path in (folder / "state").rglob("*.log"):
        assert "sesame" not in path.read_text(), path
    assert (folder / "state").stat().st_mode & 0o777 == 0o700
    assert (folder / "state" / "config.json").stat().st_mode & 0o777 == 0o600
    assert load_config(folder).login_fields == FIELDS
    report = weft.report(folder)
    assert report.totals.pages == 3


@pytest.mark.parametrize("robots", [200, 404, 503, 302])
def test_who_asks_for_robots_txt_before_a_login_gives_its_memory_back(robots: int, tmp_path: Path) -> None:
    def site_of(path: str, headers: Mapping[str, str]) -> Answer:
        if path == "/robots.txt":
            return robots, {"Location": "/rules"} if robots == 302 else {}, "User-agent: *\n" * 100
        return html("x" * 1000)

    async def ask(url: str, config: CrawlConfig) -> int:
        budget = MemoryBudget()
        fetcher = Fetcher(FetchConfig(), budget, tmp_path, Clock())
        guest = Guest(config, Clock(), fetcher)
        try:
            fetcher.release(await guest.ask(url))
        except GetFailed:
            assert robots == 503
        finally:
            await guest.close()
        return budget.used_bytes

    with served(site_of, has_robots=True) as site:
        assert asyncio.run(ask(f"{site.origin}/", site.config())) == 0


def test_a_login_leaves_the_crawl_all_of_its_memory(club: Club, tmp_path: Path) -> None:
    """A robots.txt that was never released would fill it, and nothing would begin any more."""
    with posting(club, robots="User-agent: *\n" * 100) as site:
        folder = tmp_path / "crawl"
        assert run(Crawl.create(folder, site.config(**logging_in(site), memory_bytes=1_000))) is Ending.DONE
        assert pages_of(site, folder) == PAGES


def test_a_crawl_that_goes_on_does_not_log_in_again(club: Club, site: PostingSite, tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    run(Crawl.create(folder, site.config(**logging_in(site), max_pages=1)))
    resume(folder, max_pages=None)
    assert pages_of(site, folder) == PAGES
    assert club.logins == 1


@pytest.mark.parametrize("point", ["commit", "commit-written"])
def test_a_kill_while_it_logs_in_costs_a_second_login_at_most(
    point: str, club: Club, site: PostingSite, tmp_path: Path
) -> None:
    folder = tmp_path / "crawl"
    prepare_folder(folder, site.config(**logging_in(site)))
    kills, code = 0, None
    for number in range(1, 40):  # the commits before the login, its own, those behind it
        environment = weft_environment() | {"WEFT_CRASH_AT": f"{point}:{number}"}
        process = start_weft("resume", str(folder), "--quiet", environment=environment)
        process.communicate(timeout=WITHIN_S)
        if (code := process.returncode) != -signal.SIGKILL:
            break
        kills += 1
    assert kills > 3
    assert code == Exit.DONE
    assert pages_of(site, folder) == PAGES
    assert not [path for path, text in everything_in(folder) if "open+sesame" in text]
    assert 1 <= club.logins <= 4


def test_a_site_and_the_command_line_log_in_too(club: Club, site: PostingSite, tmp_path: Path) -> None:
    members = weft.Site(f"{site.origin}/", allow_private=True, delay=0.0, workers=1, exclude=["*/logout"])
    members.login(f"{site.origin}/login", user="me", password=PASSWORD)
    assert members.settings["login_field"] == {"user": "me", "password": PASSWORD}
    flags = ("--allow-private", "--delay", "0", "--workers", "1", "--exclude", "*/logout", "-o", "crawl", "--json")
    fields = ("--login-field", "user=me", "--login-field", f"password={PASSWORD}")
    done = Finished("crawl", f"{site.origin}/", "--login", f"{site.origin}/login", *fields, *flags, cwd=tmp_path)
    assert done.code == Exit.DONE, done.errors
    assert done.summary()["pages"] == 3
    assert "sesame" not in done.out + done.errors
    shown = Finished("config", "--login", "http://x.test/", *fields, cwd=tmp_path)
    assert "sesame" not in shown.out + shown.errors


# ── it does not ────────────────────────────────────────────────────────────────────────────────────────


def test_a_wrong_password_ends_the_crawl_with_one_sentence_and_the_right_one_goes_on(
    club: Club, site: PostingSite, tmp_path: Path
) -> None:
    flags = ("--allow-private", "--delay", "0", "--workers", "1", "-o", "crawl", "--quiet")
    fields = ("--login-field", "user=me", "--login-field", "password=wrong one")
    done = Finished("crawl", f"{site.origin}/", "--login", f"{site.origin}/login", *fields, *flags, cwd=tmp_path)
    assert done.code == Exit.BAD_INPUT
    (sentence,) = done.errors.splitlines()
    assert f"the login at {site.origin}/login failed: its form comes again" in sentence
    assert "wrong one" not in done.out + done.errors
    assert {one.path for one in site.asked} == {"/login"}
    again = ("--login-field", "user=me", "--login-field", f"password={PASSWORD}", "--quiet")
    done = Finished("resume", "crawl", *again, cwd=tmp_path)
    assert done.code == Exit.DONE, done.errors
    assert pages_of(site, tmp_path / "crawl") >= PAGES


@pytest.mark.parametrize(
    ("answers", "words"),
    [
        ({"GET /login": (404, {}, "")}, "cannot be had: status 404"),
        ({"GET /login": html("<p>" * (MAX_TREE_BYTES // 3))}, "is too long for a login"),
        ({"POST /login": html("x" * MAX_TREE_BYTES)}, "is too long for a login"),
        ({"GET /login": html("no form")}, "has no form with a password"),
        ({"POST /login": (403, {}, "no")}, "failed: status 403"),
        ({"POST /login": (307, {"Location": "http://localhost:9/"}, "")}, "a password stays with its host"),
        ({"POST /login": redirect("/1"), "GET /1": redirect("/1")}, "from one URL to the next"),
        ({"GET /login": redirect("http://localhost:1/login")}, "connect-refused"),
        ({"POST /login": redirect("mailto:me@example.org")}, "no URL that weft fetches"),
    ],
)
def test_what_is_wrong_on_the_way_is_told_in_one_sentence(
    answers: dict[str, Answer], words: str, club: Club, tmp_path: Path
) -> None:
    with posting(lambda asked: answers.get(f"{asked.method} {asked.path}") or club(asked)) as site:
        with pytest.raises(LoginFailed, match=words) as failed:
            run(Crawl.create(tmp_path / "crawl", site.config(**logging_in(site))))
        assert "\n" not in str(failed.value)
        assert "sesame" not in str(failed.value)
        assert len(site.posts()) <= 1
        assert "/" not in {one.path for one in site.asked}


@pytest.mark.parametrize("target", ["/in?user=me&p=open+sesame+%26+co", "/open%20sesame%20%26%20co/"])
def test_a_password_that_an_answer_puts_into_a_url_is_neither_asked_for_nor_kept(
    target: str, club: Club, tmp_path: Path
) -> None:
    with posting(lambda asked: redirect(target) if asked.method == "POST" else club(asked)) as site:
        with pytest.raises(LoginFailed, match="would put the password into a URL") as failed:
            run(Crawl.create(tmp_path / "crawl", site.config(**logging_in(site))))
        assert {one.path for one in site.asked} == {"/login"}
    assert "sesame" not in str(failed.value)
    for path, text in everything_in(tmp_path / "crawl"):
        assert not any(form in text for form in IN_A_BODY), path


def test_the_login_page_waits_as_long_as_robots_txt_wants(club: Club, tmp_path: Path) -> None:
    """Here longer than the crawl would."""
    robots: Answer = (200, {}, "User-agent: *\nCrawl-delay: 60")
    with served(lambda path, _: robots if path == "/robots.txt" else club.form(), has_robots=True) as site:
        fields = (("user", "me"), ("password", PASSWORD))
        config = site.config(login=f"{site.origin}/login", login_fields=fields, max_host_wait_s=30.0)
        with pytest.raises(LoginFailed, match="wants 60 s between requests"):
            run(Crawl.create(tmp_path / "crawl", config))
        assert site.asked == []


def test_a_word_that_is_name_and_password_may_stand_in_a_url(tmp_path: Path) -> None:
    def let_in(asked: Asked) -> Answer:
        form = '<form method="post"><input name="user"><input type="password" name="password"></form>'
        if asked.path == "/login":
            return redirect("/demo?as=demo", Set_Cookie="a=b; Path=/") if asked.method == "POST" else html(form)
        return html("welcome")

    with posting(let_in) as site:
        fields = {"login": f"{site.origin}/login", "login_fields": (("user", "demo"), ("password", "demo"))}
        run(Crawl.create(tmp_path / "crawl", site.config(**fields)))
        assert "/" in {one.path for one in site.asked}


def test_a_login_page_that_is_elsewhere_must_be_named(club: Club, tmp_path: Path) -> None:
    origin = ""

    def away(asked: Asked) -> Answer:
        is_first = asked.headers["Host"].startswith("127.0.0.1")
        return redirect(origin.replace("127.0.0.1", "localhost") + "/login") if is_first else club(asked)

    with posting(away) as site:
        origin = site.origin
        with pytest.raises(LoginFailed, match=r"leads to http://localhost:\d+/login: if you mean that one, name it"):
            run(Crawl.create(tmp_path / "crawl", site.config(**logging_in(site))))
    assert not site.posts()


FORM = '<form method="{method}" action="{action}"><input name="user"><input type="password" name="{name}"></form>'


@pytest.mark.parametrize(
    ("url", "form", "words"),
    [
        ("https://a.test/login", ("post", "https://evil.test/take", "password"), "leads to https://evil.test/take"),
        ("https://a.test/login", ("post", "https://www.a.test/", "password"), "stays with its host"),
        ("https://a.test/login", ("post", "https://a.test:8443/", "password"), "stays with its host"),
        ("https://a.test/login", ("post", "http://a.test/login", "password"), "and on https"),
        ("https://a.test/login", ("get", "/login", "password"), "into a URL"),
        ("https://a.test/login", ("post", "/login", "pass"), "has no field 'password'; it has 'user', 'pass'"),
        ("https://a.test/login", ("dialog", "/login", "password"), "closes a dialog"),
        ("https://a.test/login", ("post", "javascript:void(0)", "password"), "cannot be filled in"),
    ],
)
def test_a_password_is_sent_by_no_form_that_leads_elsewhere(url: str, form: tuple[str, str, str], words: str) -> None:
    method, action, name = form
    page = Page.from_html(FORM.format(method=method, action=action, name=name), url)
    with pytest.raises(LoginFailed, match=words) as failed:
        filled_form(page, dict(FIELDS))
    assert "sesame" not in str(failed.value)


def test_a_form_may_lead_from_http_to_https_and_the_one_with_the_fields_is_meant() -> None:
    register = (
        '<form method="post" action="/register"><input name="mail"><input type="password" name="password"></form>'
    )
    form = FORM.format(method="post", action="https://a.test/in", name="password")
    request = filled_form(Page.from_html(register + form, "http://a.test/login"), dict(FIELDS))
    assert request.url == "https://a.test/in"
    assert request.parts is not None
    assert request.parts.is_secret
    with pytest.raises(LoginFailed, match="no password was given"):
        filled_form(Page.from_html(form, "http://a.test/login"), {"user": "me"})


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"login": "https://a.test/"}, "what to fill in"),
        ({"login_fields": FIELDS}, "--login URL names"),
        ({"login": "no url", "login_fields": FIELDS}, "is no URL"),
        ({"login": "ftp://a.test/", "login_fields": FIELDS}, "none of http or https"),
    ],
)
def test_a_login_that_cannot_be_is_refused_before_anything_is_written(
    changes: dict[str, object], words: str, tmp_path: Path
) -> None:
    with pytest.raises(BadInput, match=words):
        Crawl.create(tmp_path / "crawl", weft.CrawlConfig(seeds=("http://127.0.0.1/",), **changes))  # type: ignore[arg-type]
    assert not (tmp_path / "crawl").exists()
