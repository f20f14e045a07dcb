"""`weft get`: one page on standard output, or one sentence and an exit code."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.api.one_page_site import BOMB_BYTES, GREETING, LONG_BYTES, PICTURE, OnePageSite, one_page_site
from tests.pipeline.engine_process import weft_command
from weft.cli.exits import Exit
from weft.cli.get_page import FORMS
from weft.cli.one_page import with_scheme

from .running import WITHIN_S, Finished, assert_is_one_sentence, closed_port, own_environment


@pytest.fixture(scope="module")
def site() -> Iterator[OnePageSite]:
    with one_page_site() as site:
        yield site


def got(site: OnePageSite, path: str, *flags: str, cwd: Path) -> Finished:
    return Finished("get", site.url(path), "--allow-private", *flags, cwd=cwd)


def bytes_got(site: OnePageSite, path: str, *flags: str) -> subprocess.CompletedProcess[bytes]:
    command = weft_command("get", site.url(path), "--allow-private", *flags)
    return subprocess.run(command, capture_output=True, timeout=WITHIN_S, env=own_environment())


def test_a_page_is_printed_as_markdown(site: OnePageSite, tmp_path: Path) -> None:
    done = got(site, "/", cwd=tmp_path)
    assert (done.code, done.errors) == (Exit.DONE, "")
    assert done.out.startswith("# Grüße aus Köln\n")
    assert f"[Verweis]({site.url('/next')})" in done.out
    assert done.out.endswith("\n")
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    ("form", "begins"),
    [
        ("markdown", "# Grüße aus Köln\n\n"),
        ("text", "Grüße aus Köln\nEin Verweis.\n"),
        ("article", "# Grüße aus Köln\n"),
        ("html", GREETING + "\n"),
        ("links", "http://127.0.0.1:{port}/next\n"),
        ("json", '{{"url": "http://127.0.0.1:{port}/latin", "status": 200,'),
    ],
)
def test_each_form_is_printed_in_utf_8_whatever_the_charset(
    site: OnePageSite, tmp_path: Path, form: str, begins: str
) -> None:
    done = got(site, "/latin", "--to", form, cwd=tmp_path)
    assert (done.code, done.errors) == (Exit.DONE, "")
    assert done.out.startswith(begins.format(port=site.port))


def test_json_has_what_a_page_has(site: OnePageSite, tmp_path: Path) -> None:
    told = json.loads(got(site, "/moved", "--to=json", cwd=tmp_path).out)
    assert (told["url"], told["via"]) == (site.url("/?from=far"), site.url("/moved_again"))
    assert (told["title"], told["charset"], told["media_type"]) == ("Grüße", "utf-8", "text/html")
    assert (told["links"], told["requisites"]) == ([site.url("/next")], [site.url("/i.png")])
    assert told["headers"]["content-type"] == "text/html; charset=utf-8"
    assert told["markdown"].startswith("# Grüße aus Köln")


def test_a_page_that_needs_a_cookie_comes(site: OnePageSite, tmp_path: Path) -> None:
    done = got(site, "/cookie", "--to", "json", cwd=tmp_path)
    assert json.loads(done.out)["title"] == "Welcome back"


@pytest.mark.parametrize(
    ("path", "flags", "code", "words"),
    [
        ("/nowhere", [], Exit.SEEDS_FAILED, "the server answered with status 404"),
        ("/error", [], Exit.SEEDS_FAILED, "the server answered with status 500"),
        (
            "/private/page",
            [],
            Exit.SEEDS_FAILED,
            "its robots.txt forbids it: --ignore-robots is for sites of your own (Disallow: /private/)\n",
        ),
        ("/", ["--no-allow-private"], Exit.SEEDS_FAILED, "--allow-private permits it"),
        ("/half", [], Exit.SEEDS_FAILED, "closed"),
        ("/silent", ["--response-timeout", "100ms"], Exit.SEEDS_FAILED, "response-timeout"),
        ("/circle", [], Exit.SEEDS_FAILED, "more than 10 redirects in a row"),
        ("/picture", [], Exit.BAD_INPUT, "is no text (image/png): --to html writes it as it is"),
        ("/picture", ["--to", "links"], Exit.BAD_INPUT, "is no text (image/png)"),
        ("/", ["--to", "nothing"], Exit.BAD_INPUT, f"--to must be one of {', '.join(FORMS)}, not 'nothing'"),
        ("/", ["--max-body", "much"], Exit.BAD_INPUT, "--max-body must be"),
        ("/", ["--depth", "2"], Exit.BAD_INPUT, "there is no flag --depth"),
        ("/", ["--proxy", "nonsense"], Exit.BAD_INPUT, "proxy"),
        ("/", ["--to"], Exit.BAD_INPUT, "--to needs a value"),
        ("/", ["--config", "missing.toml"], Exit.BAD_INPUT, "cannot read the settings in missing.toml"),
        ("/", ["another"], Exit.BAD_INPUT, "unexpected argument another"),
    ],
)
def test_where_there_is_no_page_one_sentence_says_why(
    site: OnePageSite, tmp_path: Path, path: str, flags: list[str], code: Exit, words: str
) -> None:
    done = got(site, path, *flags, cwd=tmp_path)
    assert_is_one_sentence(done)
    assert words in done.errors
    assert done.code == code


def test_where_nobody_listens_a_sentence_says_so(tmp_path: Path) -> None:
    done = Finished("get", f"127.0.0.1:{closed_port()}", "--allow-private", cwd=tmp_path)
    assert_is_one_sentence(done)
    assert "nothing listens there" in done.errors
    assert "http://127.0.0.1" in done.errors
    assert done.code == Exit.SEEDS_FAILED


@pytest.mark.parametrize("url", ["", "mailto:me@example.org", "http://", "javascript:void(0)", "/tmp", "."])
def test_what_is_no_url_is_bad_input(tmp_path: Path, url: str) -> None:
    done = Finished("get", url, cwd=tmp_path)
    assert_is_one_sentence(done)
    assert done.code == Exit.BAD_INPUT


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("example.org", "https://example.org"),
        ("localhost:8000/a:b", "http://localhost:8000/a:b"),
        ("[::1]:8000", "http://[::1]:8000"),
        (" example.org/?u=http://b ", "https://example.org/?u=http://b"),
        ("http://example.org", "http://example.org"),
        ("HTTP://example.org", "HTTP://example.org"),
        ("mailto:me@example.org", "mailto:me@example.org"),
        ("./page.html", "./page.html"),
    ],
)
def test_without_a_scheme_https_is_meant_or_http_near_by(typed: str, meant: str) -> None:
    assert with_scheme(typed) == meant


def test_what_is_no_text_is_written_as_it_is_by_html(site: OnePageSite) -> None:
    done = bytes_got(site, "/picture", "--to", "html")
    assert (done.returncode, done.stdout, done.stderr) == (0, PICTURE, b"")
    assert json.loads(bytes_got(site, "/picture", "--to", "json").stdout)["media_type"] == "image/png"


def test_nothing_is_printed_of_an_empty_page(site: OnePageSite) -> None:
    done = bytes_got(site, "/empty")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_a_page_that_is_cut_is_printed_and_that_is_said(site: OnePageSite) -> None:
    done = bytes_got(site, "/long", "--max-body", "1000")
    assert (done.returncode, done.stdout) == (0, b"begins so" + b"x" * 991 + b"\n")
    assert done.stderr.decode() == f"weft: {site.url('/long')} is cut after 1,000 bytes: --max-body takes more\n"


def test_a_compressed_page_that_is_cut_at_the_most_that_a_page_has_is_told_so(site: OnePageSite) -> None:
    done = bytes_got(site, "/bomb", "--to", "html", "--max-body", "1G")
    assert (done.returncode, len(done.stdout)) == (0, BOMB_BYTES)  # with the end of the line
    cut = f"weft: {site.url('/bomb')} is cut after 67,108,864 bytes: a page in memory has no more\n"
    assert done.stderr.decode() == cut


def test_a_reader_that_goes_away_ends_it_quietly(site: OnePageSite) -> None:
    command = weft_command("get", site.url("/long"), "--allow-private")
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=own_environment()) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert len(process.stdout.read(1000)) == 1000
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(WITHIN_S) == Exit.DONE
    assert LONG_BYTES > 1_000_000  # more than a pipe holds


def shown_on_terminal(site: OnePageSite, path: str, *flags: str) -> tuple[int, bytes]:
    """The exit code, and what a terminal got."""
    ours, theirs = pty.openpty()
    command = weft_command("get", site.url(path), "--allow-private", *flags)
    with subprocess.Popen(command, stdout=theirs, stderr=theirs, env=own_environment()) as process:
        os.close(theirs)
        got = b""
        try:
            while piece := os.read(ours, 65536):
                got += piece
        except OSError:
            pass  # all who could write have gone
        os.close(ours)
        return process.wait(WITHIN_S), got.replace(b"\r\n", b"\n")


def test_no_page_moves_the_cursor_of_a_terminal(site: OnePageSite) -> None:
    assert shown_on_terminal(site, "/text") == (0, "plain \N{REPLACEMENT CHARACTER}[31mwords\n".encode())
    assert bytes_got(site, "/text").stdout == b"plain \x1b[31mwords\r\n"
    code, told = shown_on_terminal(site, "/picture", "--to", "html")
    assert (code, b"no terminal can show it" in told) == (Exit.BAD_INPUT, True)
    code, told = shown_on_terminal(site, "/odd_type")
    assert (code, b"is no text" in told, b"\x1b" in told) == (Exit.BAD_INPUT, True, False)


def test_a_file_and_the_environment_say_what_they_say_for_crawls(site: OnePageSite, tmp_path: Path) -> None:
    (tmp_path / "weft.toml").write_text('user-agent = "filebot/1.0"\nallow-private = true\ndepth = 3\n')
    assert Finished("get", site.url("/"), cwd=tmp_path).code == Exit.DONE
    assert "filebot/1.0" in site.agents
    environment = {"WEFT_USER_AGENT": "varbot/1.0", "WEFT_MAX_PAGES": "7"}
    assert Finished("get", site.url("/"), cwd=tmp_path, environment=environment).code == Exit.DONE
    assert "varbot/1.0" in site.agents
    (tmp_path / "weft.toml").write_text("user-agnet = 1\n")
    done = Finished("get", site.url("/"), cwd=tmp_path)
    assert_is_one_sentence(done)
    assert (done.code, "unknown key 'user-agnet'" in done.errors) == (Exit.BAD_INPUT, True)


def test_help_is_typer_s(tmp_path: Path) -> None:
    done = Finished("get", "--help", cwd=tmp_path)
    assert done.code == 0
    assert all(form in done.out for form in FORMS)


def test_plain_words_need_neither_typer_nor_the_engine(site: OnePageSite, tmp_path: Path) -> None:
    heavy = ("typer", "pydantic", "rich", "uvloop", "rocksdict", "weft.frontier", "weft.folder", "weft.clean")
    program = f"""
import sys
from weft.cli import main
sys.argv = ["weft", "get", {site.url("/")!r}, "--allow-private"]
try:
    main()
except SystemExit as end:
    assert not end.code
print("loaded:", *(name for name in {heavy!r} if name in sys.modules))
"""
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=tmp_path, env=own_environment(), capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "loaded:"
