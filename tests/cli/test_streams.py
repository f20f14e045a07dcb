"""What is said ends nothing: its reader may go away, its file may find no room, its encoding may lack a character."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import IO

import pytest

from tests.pipeline.engine_process import weft_command
from weft.simweb import SimProcess, WebSpec

from .running import WITHIN_S, Finished, own_environment, simweb_flags

WEB = WebSpec(hosts=2, pages=20, seed=3)
LOOKING = [
    ["--help"],
    ["crawl", "--help"],
    ["completion", "bash"],
    ["config"],
    ["report", "crawl"],
    ["report", "crawl", "--json"],
    ["report", "crawl", "--site"],
    ["top", "crawl"],
    ["verify", "unpacked"],
]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a crawl, and with what a pack was made into."""
    folder = tmp_path_factory.mktemp("streams")
    (folder / "files").mkdir()
    (folder / "files" / "a.txt").write_text("a")
    with SimProcess(WEB) as sim:
        assert Finished("crawl", *sim.seeds, "-o", "crawl", *simweb_flags(sim), cwd=folder).code == 0
    assert Finished("pack", "files", "files.zip", cwd=folder).code == 0
    assert Finished("unpack", "files.zip", "unpacked", cwd=folder).code == 0
    return folder


def said_into(stdout: IO[bytes], *arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        weft_command(*arguments),
        env=own_environment(),
        cwd=cwd,
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
        timeout=WITHIN_S,
    )


def unread(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """A command whose standard output nobody reads."""
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as stdout:
        return said_into(stdout, *arguments, cwd=cwd)


def full(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """A command whose standard output goes where there is no room."""
    with open("/dev/full", "wb") as stdout:
        return said_into(stdout, *arguments, cwd=cwd)


@pytest.mark.parametrize("arguments", LOOKING, ids=" ".join)
def test_a_reader_that_goes_away_is_no_error(arguments: list[str], home: Path) -> None:
    done = unread(*arguments, cwd=home)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("arguments", LOOKING, ids=" ".join)
def test_a_full_disk_is_told_in_one_sentence_with_code_5(arguments: list[str], home: Path) -> None:
    done = full(*arguments, cwd=home)
    assert (done.returncode, done.stderr) == (5, "weft: cannot write to standard output: the disk is full\n")


def test_a_crawl_whose_reader_goes_away_ends_as_it_ends(tmp_path: Path) -> None:
    with SimProcess(WEB) as sim:
        flags = [*simweb_flags(sim), "--log", "json"]
        done = unread("crawl", *sim.seeds, "-o", "crawl", *flags, "--max-pages", "5", cwd=tmp_path)
        assert done.returncode == 3
        assert '"event":"end"' in done.stderr.splitlines()[-1].replace(" ", "")
        assert unread("resume", "crawl", "--max-pages", "none", cwd=tmp_path).returncode == 0


@pytest.mark.parametrize(
    "arguments", [["report", "crawl"], ["report", "crawl", "--site"], ["resume", "crawl"]], ids=" ".join
)
def test_a_character_that_the_encoding_lacks_is_replaced(arguments: list[str], home: Path) -> None:
    done = Finished(*arguments, cwd=home, environment={"PYTHONIOENCODING": "ascii"})
    assert done.code == 0
    assert "Traceback" not in done.errors
    assert "?" in done.out


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_standard_error_is_said_at_once(unbuffered: str, tmp_path: Path) -> None:
    program = "import os, sys; from weft.cli.process import have_all_streams as have; have(); "
    program += "print('now', file=sys.stderr); os._exit(0)"
    environment = own_environment() | {"PYTHONUNBUFFERED": unbuffered}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, timeout=WITHIN_S)
    assert done.stderr == b"now\n"
