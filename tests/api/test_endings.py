"""No ending is silent: for each exit code of the command line a program gets an exception or a summary that says the
same, and a log record with the same sentence. docs/python.md has the table.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

import weft
from tests.api.site import WITHIN_S, home, quick, serving, site
from tests.cli.running import Finished, simweb_flags
from tests.faults.disks import small_disk
from tests.pipeline.engine_process import weft_environment
from tests.warm_weft import start_program
from weft.cli.exits import Exit
from weft.config import MIB
from weft.simweb import SimProcess
from weft.simweb.behaviour import Behaviour, Fixed

DOCS = (Path(__file__).parents[2] / "docs" / "python.md").read_text()
ROBOTS = Fixed(b"User-agent: *\nDisallow: /\n", content_type="text/plain")


class Scene(NamedTuple):
    """A site, and two folders: where a program runs, and where the command does the same."""

    sim: SimProcess
    program: Path
    command: Path
    log: pytest.LogCaptureFixture

    def by_program(self, settings: weft.CrawlSettings | None = None, url: str = "") -> weft.Summary:
        """Crawl into the folder `crawl`."""
        chosen = quick(self.sim) | {"scope": "host"} | (settings or {})
        return asyncio.run(weft.crawl(url or home(self.sim), output="crawl", **chosen).run())

    def by_command(self, *flags: str, url: str = "") -> Finished:
        chosen = [*simweb_flags(self.sim), "--scope", "host", *flags]
        return Finished("crawl", url or home(self.sim), "-o", "crawl", *chosen, cwd=self.command)

    def says(self) -> tuple[str, int, str]:
        """The last record about a crawl: the name of its ending, its level and its sentence."""
        ends = [record for record in self.log.records if getattr(record, "figures", {}).get("event") == "end"]
        record = ends[-1]
        return record.figures["exit"], record.levelno, self.plain(record.getMessage())  # type: ignore[attr-defined]

    def plain(self, words: str) -> str:
        """A sentence without what differs: where it is, how long it took, and the code that a program does not have."""
        words = words.replace(str(self.program), ".").replace(str(self.command), ".")
        return re.sub(r" in [\d.,]+ s\.| \(exit code \d+\)", "", words)

    def says_what_the_command_says(self, done: Finished, code: Exit) -> bool:
        assert done.code == code, done.errors
        (said,) = re.findall(r"weft\.crawl: (ended: .*)", done.errors)
        return self.says()[2] == self.plain(said)


@pytest.fixture(scope="module")
def sim() -> Iterator[SimProcess]:
    pages: dict[tuple[str, str], Behaviour] = {**site(3), ("closed.test", "/robots.txt"): ROBOTS}
    pages["gone.test", "/"] = Fixed(b"no", status=404)
    with serving(pages) as serves:
        yield serves


@pytest.fixture
def scene(sim: SimProcess, tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> Scene:
    for name in ("program", "command"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path / "program")
    caplog.set_level(logging.INFO, "weft")
    return Scene(sim, tmp_path / "program", tmp_path / "command", caplog)


def done(scene: Scene) -> None:
    assert scene.by_program().exit == "done"
    assert scene.says()[:2] == ("done", logging.INFO)
    assert scene.says_what_the_command_says(scene.by_command(), Exit.DONE)
    began, *_ = [record.getMessage() for record in scene.log.records if record.name == "weft.crawl"]
    assert began.startswith(f"begins: 1 seed ({home(scene.sim)}) into ")


def failed(scene: Scene) -> None:
    path = "tests.pipeline.deadly_filters:CannotStartInWorkers"
    with pytest.raises(weft.WeftError, match="parse workers end at once"):
        scene.by_program({"filter": [path]})
    assert scene.says()[:2] == ("failed", logging.ERROR)


def bad_input(scene: Scene) -> None:
    with pytest.raises(weft.BadInput) as caught:
        scene.by_program(url="gopher://site.test/")
    assert scene.says() == ("bad-input", logging.ERROR, f"ended: bad-input. {caught.value}")
    done = scene.by_command(url="gopher://site.test/")
    assert (done.code, done.errors) == (Exit.BAD_INPUT, f"weft: {caught.value}\n")


def limit(scene: Scene) -> None:
    assert scene.by_program({"max_pages": 1}).exit == "limit"
    assert scene.says()[:2] == ("limit", logging.INFO)
    assert scene.says_what_the_command_says(scene.by_command("--max-pages", "1"), Exit.LIMIT)


def seeds_failed(scene: Scene) -> None:
    with pytest.raises(weft.CrawlFailed) as caught:
        scene.by_program({"allow_private": False})
    assert caught.value.summary.exit == "seeds-failed"
    assert str(caught.value) in scene.says()[2]
    flags = [flag for flag in simweb_flags(scene.sim) if flag != "--allow-private"]
    done = Finished("crawl", home(scene.sim), "-o", "crawl", *flags, "--scope", "host", cwd=scene.command)
    assert scene.says_what_the_command_says(done, Exit.SEEDS_FAILED)
    assert str(caught.value) in " ".join(done.out.split()), "the command prints it, too"
    assert scene.says()[1] == logging.ERROR


def disk_full(scene: Scene) -> None:
    with small_disk(scene.program / "disk", 48 * MIB) as disk:
        where = disk.path / "crawl"
        weft.crawl_sync(home(scene.sim), output=where, **quick(scene.sim)).run()
        for name in ("index.cdxj", "pages.jsonl", "report.json"):
            (where / name).unlink()
        disk.fill_but(16 * 1024)
        with pytest.raises(weft.DiskFull) as caught:
            weft.resume_sync(where).run()
        goes_on = f"; when there is room again for {where}, `weft resume {where}` goes on"
        assert str(caught.value).endswith(goes_on)
        assert scene.says()[:2] == ("disk-full", logging.ERROR)
        assert str(caught.value) in scene.log.records[-1].getMessage()
        done = Finished("resume", str(where), cwd=scene.command)
        assert (done.code, "the disk is full" in done.errors) == (Exit.DISK_FULL, True)


def folder(scene: Scene) -> None:
    for place in (scene.program, scene.command):
        (place / "crawl").write_text("a file")
    with pytest.raises(weft.FolderError) as caught:
        scene.by_program()
    assert scene.says() == ("folder", logging.ERROR, f"ended: folder. {scene.plain(str(caught.value))}")
    done = scene.by_command()
    assert (done.code, scene.plain(done.errors)) == (Exit.FOLDER, f"weft: {scene.plain(str(caught.value))}\n")


def damaged(scene: Scene) -> None:
    Path("files").mkdir()
    Path("files/file").write_bytes(os.urandom(10_000))
    assert Finished("pack", "files", "files.zip", cwd=scene.program).code == 0
    assert weft.verify("files.zip").is_sound
    pack = bytearray(Path("files.zip").read_bytes())
    pack[len(pack) // 2] ^= 1
    Path("files.zip").write_bytes(pack)
    with pytest.raises(weft.DamagedPack) as caught:
        weft.verify("files.zip")
    done = Finished("verify", "files.zip", cwd=scene.program)
    assert (done.code, done.errors) == (Exit.DAMAGED, f"weft: {caught.value}\n")
    assert scene.log.records[-1].getMessage() == f"files.zip is damaged: {caught.value}"


def found(scene: Scene) -> None:
    scene.by_program({"links": True})
    assert weft.site_report("crawl").total >= 0  # what is found is returned; whether that is too much, you decide
    assert scene.says()[0] == "done"


PROGRAM = """
import json, logging, os, signal, sys
import weft
from tests.api.site import quick

class Sim: dns = sys.argv[2]

logging.basicConfig(stream=sys.stdout, format="%(levelname)s %(name)s %(message)s", level="WARNING")
pages = weft.crawl_sync(sys.argv[1], output="crawl", **quick(Sim) | {"delay": 600.0, "ignore_robots": True})
got = ""
try:
    for page in pages:
        signal.signal(signal.SIGTERM, lambda *_: pages.stop())
        signal.signal(signal.SIGHUP, lambda *_: pages.stop())
        print("now", flush=True)
except BaseException as error:
    got = repr(error)
print(json.dumps({"raised": got, "exit": pages.summary.exit}))
"""


def by_signal(scene: Scene, number: signal.Signals) -> dict[str, str]:
    """What a program gets that is told to end while it waits for a page."""
    program = [sys.executable, "-c", PROGRAM, home(scene.sim), scene.sim.dns]
    process = start_program(program, env=weft_environment(), stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == "now\n"
    os.kill(process.pid, number)
    out, _ = process.communicate(timeout=WITHIN_S)
    record, told = out.splitlines()
    assert record.startswith("WARNING weft.crawl ended: interrupted. 1 page in ")
    assert record.endswith("Stopped. `weft resume crawl` goes on.")
    got: dict[str, str] = json.loads(told)
    return got


def interrupted(scene: Scene) -> None:
    assert by_signal(scene, signal.SIGINT) == {"raised": "KeyboardInterrupt()", "exit": "interrupted"}


def terminated(scene: Scene) -> None:
    assert by_signal(scene, signal.SIGTERM) == {"raised": "", "exit": "interrupted"}


def hung_up(scene: Scene) -> None:
    assert by_signal(scene, signal.SIGHUP) == {"raised": "", "exit": "interrupted"}


ENDINGS: dict[Exit, Callable[[Scene], None]] = {
    Exit.DONE: done,
    Exit.FAILED: failed,
    Exit.BAD_INPUT: bad_input,
    Exit.LIMIT: limit,
    Exit.SEEDS_FAILED: seeds_failed,
    Exit.DISK_FULL: disk_full,
    Exit.FOLDER: folder,
    Exit.DAMAGED: damaged,
    Exit.FOUND: found,
    Exit.HUNG_UP: hung_up,
    Exit.INTERRUPTED: interrupted,
    Exit.TERMINATED: terminated,
}


@pytest.mark.parametrize("code", Exit, ids=lambda code: code.name)
def test_an_ending_reaches_the_program_in_the_words_of_the_command(code: Exit, scene: Scene) -> None:
    ENDINGS[code](scene)


@pytest.mark.parametrize("code", Exit, ids=lambda code: code.name)
def test_the_table_of_endings_has_each_code(code: Exit) -> None:
    assert re.search(rf"^\| {code.value} \| \S.* \| \S.* \| \S.* \|$", DOCS, re.MULTILINE)


@pytest.mark.parametrize(
    ("host", "why"),
    [
        ("closed.test", "Its robots.txt forbids it: --ignore-robots is for sites of your own."),
        ("gone.test", "(404 × 2)"),
        ("mistyped.invalid", "There is no such host: is the name right?"),
    ],
)
def test_a_crawl_that_brings_nothing_says_why(host: str, why: str, scene: Scene) -> None:
    with pytest.raises(weft.CrawlFailed) as caught:
        scene.by_program(url=scene.sim.web.url(host, "/"))
    assert str(caught.value).startswith("Not one page could be fetched")
    assert why in str(caught.value)
    assert scene.says()[:2] == ("seeds-failed", logging.ERROR)
    told = [record.getMessage() for record in scene.log.records if record.name == "weft.seeds"]
    assert bool(told) == (host != "gone.test"), "as soon as it is known, not only at the end"


def test_an_error_that_nobody_expects_comes_out_as_it_is_and_has_its_traceback_in_the_log(scene: Scene) -> None:
    def broken(path: Path) -> None:
        raise ZeroDivisionError

    from weft.api.crawl_run import Plan
    from weft.api.crawl_sync import SyncCrawling

    with pytest.raises(ZeroDivisionError):
        SyncCrawling(Plan(Path("crawl"), broken)).run()  # type: ignore[arg-type]
    assert scene.says()[:2] == ("failed", logging.ERROR)
    assert scene.log.records[-1].exc_info is not None


def test_functions_that_fail_are_in_the_log_with_their_page(scene: Scene) -> None:
    scene.by_program({"extract": ["tests.pipeline.extractors:no_json"], "depth": 0})
    (told,) = [record.getMessage() for record in scene.log.records if record.name == "weft.functions"]
    assert told.startswith(f"1 call of a function failed on {home(scene.sim)}: see ")
    assert Path(told.rpartition("see ")[2]).read_text()


def test_doubtful_patterns_are_in_the_log(scene: Scene) -> None:
    scene.by_program({"exclude": ["calendar"], "depth": 0})
    told = [record.getMessage() for record in scene.log.records if record.levelno == logging.WARNING]
    assert told[0] == "--exclude calendar can match no URL; '*calendar*' matches those that contain it"
    assert told[1] == "--exclude calendar matched nothing; without * a pattern means exactly that"


def test_nothing_is_printed_and_no_handler_is_installed(scene: Scene, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(weft.CrawlFailed):
        scene.by_program(url=scene.sim.web.url("gone.test", "/"))
    assert capfd.readouterr() == ("", "")
    for name in ("weft", "weft.crawl"):
        assert [type(one) for one in logging.getLogger(name).handlers if type(one) is not logging.NullHandler] == []
