"""What docs/operate.md tells operators to do works: the unit, the commands for backups, rotation of crawl.log."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import weft
from tests import containerfile
from tests.cli.running import UNSLOWED, WITHIN_S, Finished, own_environment, running_crawl
from tests.pipeline.crawling import CrawlFiles, assert_archive_is_consistent, assert_fetched_the_truth
from tests.pipeline.engine_process import weft_command
from weft.cli.exits import Exit
from weft.cli.log import HEARD, MOST_IN_A_PERIOD, PERIOD_S
from weft.folder.crawl_log import CrawlLog
from weft.simweb import SimProcess, WebSpec
from weft.types import Outcome

DOCS = Path(__file__).parent.parent / "docs"
PAGE = (DOCS / "operate.md").read_text()
UNIT = (DOCS / "weft@.service").read_text()
LONG_WEB = WebSpec(hosts=3, pages=150, seed=7, latency_ms=(20, 40))
needs_systemd = pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="there is no systemd-analyze here")


def verified(folder: Path, unit: str) -> str:
    """What systemd says of a unit; nothing if it is right."""
    path = folder / "weft@test.service"
    path.write_text(unit.replace("/opt/weft/bin/weft", sys.executable))
    done = subprocess.run(["systemd-analyze", "verify", path], capture_output=True, text=True, timeout=WITHIN_S)
    return done.stdout + done.stderr


@needs_systemd
def test_systemd_finds_nothing_wrong_with_the_unit(tmp_path: Path) -> None:
    assert verified(tmp_path, UNIT) == ""
    assert "Frobnicate" in verified(tmp_path, UNIT.replace("KillMode=", "Frobnicate="))  # it does look


def codes(key: str) -> set[int]:
    return {int(code) for line in re.findall(rf"^{key}=(.*)$", UNIT, re.MULTILINE) for code in line.split()}


def test_the_unit_treats_each_exit_code_as_the_page_says() -> None:
    success, never_again = {0, *codes("SuccessExitStatus")}, codes("RestartPreventExitStatus")
    table = dict(re.findall(r"^\| ([\d, ]+|killed) \| [^|]+ \| ([^|]+) \|$", PAGE, re.MULTILINE))
    for words, what in table.items():
        for code in (int(one) for one in words.split(", ") if one != "killed"):
            assert ("does not start again" in what) == (code in never_again), code
            assert ("starts again" in what) == (code not in success | never_again)
    told = {int(one) for words in table for one in words.split(", ") if one != "killed"}
    assert told == set(Exit) - {Exit.DAMAGED, Exit.FOUND}  # of packs; of site reports


def test_the_command_of_the_unit_begins_a_crawl_and_goes_on_with_it(tmp_path: Path) -> None:
    found = re.search(r"^ExecStart=/bin/sh -c '(.*)'$", UNIT, re.MULTILINE)
    assert found
    (tmp_path / "weft").write_text('#!/bin/sh\necho "$@"\n')
    (tmp_path / "weft").chmod(0o755)
    command = found[1].replace("/opt/weft/bin/weft", str(tmp_path / "weft")).replace("%i", "example")

    def said() -> str:
        return subprocess.run(["sh", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=True).stdout

    assert said() == "crawl --config /etc/weft/example.toml -o example\n"
    (tmp_path / "example" / "state").mkdir(parents=True)
    (tmp_path / "example" / "state" / "config.json").touch()
    assert said() == "resume example\n"


def test_a_settings_file_for_the_unit_is_all_that_a_crawl_needs(tmp_path: Path) -> None:
    found = re.search(r"printf '(.*?)' >/etc/weft/example.toml", PAGE)
    assert found
    (tmp_path / "example.seeds").write_text("http://no.invalid/\n")
    toml = found[1].replace("\\n", "\n").replace("/etc/weft/", f"{tmp_path}/")
    (tmp_path / "example.toml").write_text(toml)
    done = Finished("crawl", "--config", "example.toml", "-o", "example", cwd=tmp_path)
    assert done.code == 4, done.errors  # nothing more is wrong than that there is no such host
    assert "begins: 1 seed (http://no.invalid/)" in done.errors


def backup_commands() -> list[str]:
    section = re.search(r"^## Backup\n(.*?)(?=^## )", PAGE, re.MULTILINE | re.DOTALL)
    assert section
    return re.findall(r"```sh\n(.*?)```", section[1], re.DOTALL)


def do(commands: str, folder: Path, tools: Path) -> None:
    """As an operator would; weft is this one."""
    tools.mkdir()
    (tools / "weft").write_text(f'#!/bin/sh\nexec {" ".join(map(_quoted, weft_command()))} "$@"\n')
    (tools / "weft").chmod(0o755)
    environment = own_environment() | {
        "CRAWL": str(folder / "crawl"),
        "BACKUP": str(folder / "backup"),
        "PATH": f"{tools}:{os.environ['PATH']}",
    }
    done = subprocess.run(["sh", "-ec", commands], env=environment, capture_output=True, text=True, timeout=WITHIN_S)
    assert done.returncode == 0, done.stdout + done.stderr


def _quoted(word: str) -> str:
    return f"'{word}'"


def test_a_copy_of_a_stopped_crawl_goes_on(tmp_path: Path) -> None:
    stopped, _ = backup_commands()
    with SimProcess(LONG_WEB) as sim:
        with running_crawl(sim, tmp_path) as process:
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=WITHIN_S)
        do(stopped, tmp_path, tmp_path / "bin")
        shutil.rmtree(tmp_path / "crawl")
        resumed = Finished("resume", "backup", *UNSLOWED, cwd=tmp_path)
        truth = sim.web.truth()
    assert resumed.code == 0, resumed.errors
    assert_fetched_the_truth(CrawlFiles(tmp_path / "backup"), truth)


def test_a_copy_of_a_crawl_that_runs_is_repaired_and_goes_on(tmp_path: Path) -> None:
    _, running = backup_commands()
    with SimProcess(LONG_WEB) as sim:
        with running_crawl(sim, tmp_path) as process:
            copying, repair, going_on = running.partition("weft repair")
            do(copying, tmp_path, tmp_path / "bin")
            assert process.poll() is None  # it does run
            assert not (tmp_path / "backup" / "pages.jsonl").exists()
        do(repair + going_on.replace("weft resume", "weft resume --rate none"), tmp_path, tmp_path / "again")
        truth = sim.web.truth()
    files = CrawlFiles(tmp_path / "backup")
    assert_fetched_the_truth(files, truth)
    assert_archive_is_consistent(files)


def test_crawl_log_goes_on_at_the_new_beginning_when_it_is_cut_and_in_the_old_file_when_it_is_moved(
    tmp_path: Path,
) -> None:
    path = tmp_path / "crawl.log"
    log = CrawlLog(path, ())
    for number, host in enumerate(("first", "second", "third")):
        log.look_up_failed(host, Outcome.DNS_FAILED, 1e9)
        log.flush()
        if number == 0:
            shutil.copy(path, tmp_path / "crawl.log.1")
            os.truncate(path, 0)
        if number == 1:
            assert b"second" in path.read_bytes()
            assert b"\0" not in path.read_bytes()  # no hole where the first was
            path.rename(tmp_path / "moved")
    log.close()
    assert b"third" in (tmp_path / "moved").read_bytes()
    assert not path.exists()


def test_every_logger_is_on_the_page() -> None:
    source = "\n".join(path.read_text() for path in Path(weft.__file__).parent.rglob("*.py"))
    names = {f"weft.{name}" for name in re.findall(r"\blogger\(\"(\w+)\"\)", source)}
    names |= set(re.findall(r"getLogger\(\"(weft\.\w+)\"\)", source)) | {"weft.seeds", "weft.log", "weft.dashboard"}
    assert set(re.findall(r"^\| `(weft\.\w+)` \|", PAGE, re.MULTILINE)) == names
    assert "weft" in HEARD
    assert f"{MOST_IN_A_PERIOD} lines are written in ten seconds" in PAGE
    assert PERIOD_S == 10


def test_the_containerfile_has_only_what_its_test_can_do_and_copies_what_there_is() -> None:
    words = {"FROM", "RUN", "COPY", "USER", "WORKDIR", "VOLUME", "STOPSIGNAL", "ENTRYPOINT"}
    instructions = containerfile.instructions(containerfile.FILE.read_text())
    assert {word for word, _ in instructions} <= words
    images = {rest.partition(" ")[0] for word, rest in instructions if word == "FROM"}
    assert images <= containerfile.SUITES.keys()
    for rest in (rest for word, rest in instructions if word == "COPY" and "--from" not in rest):
        assert all((containerfile.PROJECT / source).exists() for source in rest.split()[:-1])
