"""A seed that fails is told at once, with what helps; the tries go on behind it."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.pipeline.engine_process import weft_command
from tests.ports import closed_port
from tests.warm_weft import start_program
from weft.simweb import SimProcess, WebSpec
from weft.simweb.behaviour import Behaviour, Fixed

from .running import WITHIN_S, Finished, logged, own_environment

SITE = "site.test"
FLAGS = ("--allow-private", "--user-agent", "test", "-o", "crawl")


@contextmanager
def begun(cwd: Path, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """A crawl that goes on; it does not outlive the block."""
    process = start_program(
        weft_command(*arguments),
        env=own_environment(),
        cwd=cwd,
        start_new_session=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate(timeout=WITHIN_S)


def first_trouble(process: subprocess.Popen[str]) -> str:
    assert process.stderr is not None
    return next(message for line in process.stderr for message in logged(line, "seeds"))


def test_a_refused_seed_is_told_while_its_tries_go_on(tmp_path: Path) -> None:
    port = closed_port()
    with begun(tmp_path, "crawl", f"http://127.0.0.1:{port}/", *FLAGS) as process:
        assert first_trouble(process).startswith(f"http://127.0.0.1:{port}: nothing listens there")
        assert process.poll() is None  # the next try comes after five seconds


def test_an_untrusted_certificate_is_told_with_the_flags_that_help_while_its_tries_go_on(tmp_path: Path) -> None:
    with SimProcess(WebSpec(hosts=1, pages=1), {(SITE, "/"): Fixed(b"x")}, https=True) as sim:
        url = f"https://{SITE}:{sim.https_port}/"
        with begun(tmp_path, "crawl", url, "--dns-server", sim.dns, *FLAGS) as process:
            told = first_trouble(process)
            assert process.poll() is None  # the next try comes after thirty seconds
    assert told.startswith(f"{url.removesuffix('/')}: its certificate is not trusted")
    assert "--ca-file FILE" in told
    assert f"--insecure {SITE}" in told
    assert "it is tried again" in told


def test_name_servers_that_do_not_answer_are_told_while_tries_go_on(tmp_path: Path) -> None:
    with begun(tmp_path, "crawl", "http://site.test/", "--dns-server", f"127.0.0.1:{closed_port()}", *FLAGS) as process:
        assert first_trouble(process).startswith("site.test: the name servers do not answer")
        assert process.poll() is None


def test_an_unknown_host_is_told_and_no_vain_resume_is_offered(tmp_path: Path) -> None:
    with SimProcess(WebSpec(hosts=1, pages=1)) as sim:
        done = Finished("crawl", "http://mistyped.invalid/", "--dns-server", sim.dns, *FLAGS, cwd=tmp_path)
    assert done.code == 4
    assert logged(done.errors, "seeds") == ["mistyped.invalid: there is no such host: is the name right?"]
    assert "what was left" not in done.out  # nothing was


def test_a_private_address_is_told_with_the_command_that_goes_there(tmp_path: Path) -> None:
    url = f"http://127.0.0.1:{closed_port()}/"
    done = Finished("crawl", url, "-o", "crawl", "--user-agent", "test", cwd=tmp_path)
    assert done.code == 4
    assert "--allow-private permits it" in done.errors
    assert "`weft resume crawl --allow-private --retry-failed` tries again" in done.out
    with begun(tmp_path, "resume", "crawl", "--allow-private", "--retry-failed") as process:
        assert "nothing listens there" in first_trouble(process)


def test_a_seed_that_robots_txt_forbids_is_told_and_nothing_is_left_to_resume(tmp_path: Path) -> None:
    pages: dict[tuple[str, str], Behaviour] = {
        (SITE, "/"): Fixed(b"x"),
        (SITE, "/robots.txt"): Fixed(b"User-agent: *\nDisallow: /\n", content_type="text/plain"),
    }
    with SimProcess(WebSpec(hosts=1, pages=1), pages) as sim:
        done = Finished("crawl", sim.web.url(SITE, "/"), "--dns-server", sim.dns, *FLAGS, cwd=tmp_path)
    assert done.code == 4
    assert "robots.txt forbids it" in done.errors
    assert "robots.txt forbids it" in done.out
    assert "weft resume" not in done.out
