"""`weft dashboard`, and `--dashboard` beside a crawl, from the command line."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

import psutil  # type: ignore[import-untyped]
import pytest

from tests.api.site import home, serving, site
from tests.dashboard.serving import make_crawl, write_status
from tests.live.statuses import a_status
from tests.pipeline.engine_process import weft_command
from tests.warm_weft import start_program
from weft.cli.dashboard_beside import link_with
from weft.cli.options import with_values
from weft.listening import listen, read_place
from weft.simweb import SimProcess

from .running import WITHIN_S, Finished, assert_is_one_sentence, own_environment

LINK = re.compile(r"(http://\S+/)#token=(\S+)")
LOGGED_LINK = re.compile(r"(http://\S+/); .* the token in (\S+)")


@contextmanager
def started(*arguments: str, cwd: Path) -> Iterator[subprocess.Popen[str]]:
    process = start_program(
        weft_command(*arguments),
        cwd=cwd,
        env=own_environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate(timeout=WITHIN_S)


def link_in(lines: Iterator[str]) -> tuple[str, str]:
    """Address and token, from the first line that has them."""
    for line in lines:
        if found := LINK.search(line):
            return found[1], found[2]
    raise AssertionError("no link was printed")


def link_in_log(lines: Iterator[str], cwd: Path) -> tuple[str, str]:
    """Likewise, from a log, which says where the token is: not everybody who reads it may steer the crawl."""
    for line in lines:
        if found := LOGGED_LINK.search(line):
            assert "#token" not in line
            return found[1], (cwd / found[2]).read_text().strip()
    raise AssertionError("no link was logged")


def get(url: str) -> bytes:
    with urlopen(url, timeout=WITHIN_S) as answer:
        body = answer.read()
    assert isinstance(body, bytes)
    return body


@contextmanager
def crawling_with_dashboard(sim: SimProcess, cwd: Path) -> Iterator[tuple[subprocess.Popen[str], str, str]]:
    """A crawl of a page a second, with its view."""
    flags = ["--scope", "any", "--delay", "1", "--dns-server", sim.dns, "--allow-private", "--workers", "1"]
    with started("crawl", home(sim), "-o", "crawl", "--dashboard", "127.0.0.1:0", *flags, cwd=cwd) as process:
        assert process.stderr is not None
        yield process, *link_in_log(iter(process.stderr), cwd)


@pytest.fixture(scope="module")
def sim() -> Iterator[SimProcess]:
    with serving(site(200)) as running:
        yield running


def test_a_crawl_is_shown_until_ctrl_c_and_its_link_stays_good(tmp_path: Path) -> None:
    write_status(make_crawl(tmp_path / "crawl"), a_status())
    tokens = []
    for _ in range(2):
        with started("dashboard", "crawl", "--listen", "127.0.0.1:0", cwd=tmp_path) as process:
            assert process.stdout is not None
            url, token = link_in(iter(process.stdout))
            tokens.append(token)
            assert json.loads(get(f"{url}status"))["pages"] == a_status().pages
            process.send_signal(signal.SIGINT)
            out, errors = process.communicate(timeout=WITHIN_S)
            assert (process.returncode, out, errors) == (0, "", "")
    assert tokens[0] == tokens[1]


def test_a_browser_is_not_called_with_the_token(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    browser = tmp_path / "browser"
    browser.write_text('#!/bin/sh\ncp -p "${1#file://}" page.html && echo "$@" > called-with\n')
    browser.chmod(0o755)
    monkeypatch.setenv("BROWSER", f"{browser} %s")
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    write_status(make_crawl(tmp_path / "crawl"), a_status())
    with started("dashboard", "crawl", "--listen", "127.0.0.1:0", "--open", cwd=tmp_path) as process:
        assert process.stdout is not None
        url, token = link_in(iter(process.stdout))
        get(url)  # it is served once the browser was called
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=WITHIN_S)
    assert token not in (tmp_path / "called-with").read_text()
    page = tmp_path / "page.html"
    assert f"url={url}#token={token}" in page.read_text()
    assert page.stat().st_mode & 0o777 == 0o600
    assert [path.name for path in tmp_path.glob("weft-*")] == []


@pytest.mark.parametrize(
    ("arguments", "code", "word"),
    [
        (["absent"], 6, "there is no folder absent"),
        (["."], 6, "not a crawl folder"),
        (["crawl", "--listen", "nowhere:80"], 2, "ADDRESS:PORT"),
        (["crawl", "--listen", "127.0.0.1"], 2, "ADDRESS:PORT"),
        (["crawl", "--listen", "192.0.2.1:0"], 2, "no address of this machine"),
        (["crawl", "--listen", "127.0.0.1:70000"], 2, "65535"),
        (["crawl", "--listen", "1.2.3.4.5:1"], 2, "not an IP address"),
    ],
)
def test_what_cannot_be_is_told_in_one_sentence(arguments: list[str], code: int, word: str, tmp_path: Path) -> None:
    make_crawl(tmp_path / "crawl")
    done = Finished("dashboard", *arguments, cwd=tmp_path)
    assert_is_one_sentence(done)
    assert (done.code, word in done.errors) == (code, True), done.errors


def test_a_port_in_use_is_told_before_a_crawl_begins(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        place = f"127.0.0.1:{other.getsockname()[1]}"
        done = Finished("crawl", "http://host.test/", "-o", "crawl", "--dashboard", place, cwd=tmp_path)
        again = Finished("dashboard", str(make_crawl(tmp_path / "other")), "--listen", place, cwd=tmp_path)
    for one in (done, again):
        assert one.code == 2
        assert_is_one_sentence(one)
        assert "in use" in one.errors
    assert not (tmp_path / "crawl").exists()


@pytest.mark.parametrize(
    ("words", "read"),
    [
        (["--dashboard", "http://a.test/"], ["--dashboard=X", "http://a.test/"]),
        (["--dashboard", "127.0.0.1:80", "u"], ["--dashboard", "127.0.0.1:80", "u"]),
        (["--dashboard", "[::1]:80"], ["--dashboard", "[::1]:80"]),
        (["--dashboard", "8080"], ["--dashboard", "8080"]),
        (["--dashboard=:1", "u"], ["--dashboard=:1", "u"]),
        (["u", "--dashboard"], ["u", "--dashboard=X"]),
        (["--dashboard", "-q"], ["--dashboard=X", "-q"]),
        (["--", "--dashboard"], ["--", "--dashboard"]),
    ],
)
def test_the_flag_alone_takes_no_url_for_its_value(words: list[str], read: list[str]) -> None:
    assert with_values(words, {"--dashboard": "X"}) == read


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("127.0.0.1:80", ("127.0.0.1", 80)),
        ("[::1]:80", ("::1", 80)),
        (":80", ("127.0.0.1", 80)),
        ("80", ("127.0.0.1", 80)),
    ],
)
def test_a_place_may_be_written_shortly(text: str, place: tuple[str, int]) -> None:
    assert read_place(text, "--listen") == place


def test_a_crawl_with_its_view_is_steered_from_it_and_both_end(sim: SimProcess, tmp_path: Path) -> None:
    with crawling_with_dashboard(sim, tmp_path) as (process, url, token):
        stop = Request(f"{url}commands", b'{"type":"stop"}', {"Authorization": f"Bearer {token}"})
        assert b"<!doctype html>" in get(url)
        answered, give_up_at = 0, time.monotonic() + WITHIN_S
        while answered != 202 and time.monotonic() < give_up_at:  # there is a status by then that says that it runs
            with suppress(HTTPError), urlopen(stop, timeout=WITHIN_S) as answer:
                answered = answer.status
        process.communicate(timeout=WITHIN_S)
        assert process.returncode == 130
        with pytest.raises(URLError):
            get(url)


def test_a_view_ends_with_its_crawl_however_that_ends(sim: SimProcess, tmp_path: Path) -> None:
    with crawling_with_dashboard(sim, tmp_path) as (process, url, _):
        get(url)
        children = psutil.Process(process.pid).children()
        views = [child for child in children if "weft.dashboard.child" in child.cmdline()]
        assert len(views) == 1
        process.kill()
        process.wait(WITHIN_S)
        psutil.wait_procs(views, timeout=WITHIN_S)
        assert not views[0].is_running()


def test_a_view_goes_on_while_its_crawl_is_asked_to_end(sim: SimProcess, tmp_path: Path) -> None:
    """Ctrl-C goes to all processes of a terminal, but it is meant for the crawl."""
    with crawling_with_dashboard(sim, tmp_path) as (process, url, _):
        get(url)
        views = [child for child in psutil.Process(process.pid).children() if "weft.dashboard" in str(child.cmdline())]
        views[0].send_signal(signal.SIGINT)
        assert b"<!doctype html>" in get(url)


def test_a_token_of_the_environment_is_not_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    with listen("127.0.0.1", 0, "") as listener:
        assert link_with("made-here", listener).endswith("/#token=made-here")
        monkeypatch.setenv("WEFT_DASHBOARD_TOKEN", "given-from-outside")
        assert link_with("given-from-outside", listener).endswith("/")
