"""Folders and files that may not be used. Modes do not concern root, so as root these tests give that right up."""

from __future__ import annotations

import ctypes
import subprocess
from pathlib import Path

import pytest

from tests.pipeline.crawling import crawl_all, quick_config
from tests.pipeline.engine_process import weft_command
from weft.simweb import SimProcess, WebSpec

from .running import WITHIN_S, own_environment

URL = "http://127.0.0.1:9/"  # never asked for

PR_CAPBSET_DROP = 24
CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH = 1, 2

_libc = ctypes.CDLL(None)


def obey_modes() -> None:
    """From the next exec on, modes hold for this process even if it is root's."""
    for capability in (CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH):
        _libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)


def run_obeying_modes(command: list[str], cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        env=own_environment(),
        cwd=cwd,
        preexec_fn=obey_modes,
        capture_output=True,
        text=True,
        timeout=WITHIN_S,
        check=False,
    )


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["crawl", URL, "-o", "closed/crawl"], 6),
        (["crawl", URL, "-o", "read-only/crawl"], 6),
        (["resume", "closed/crawl"], 6),
        (["crawl", "--seeds", "closed/seeds.txt"], 2),
        (["config", "--config", "closed/weft.toml"], 2),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_what_may_not_be_used_is_named_in_one_sentence(arguments: list[str], code: int, tmp_path: Path) -> None:
    (tmp_path / "closed").mkdir(0o000)
    (tmp_path / "read-only").mkdir(0o555)
    if run_obeying_modes(["test", "-w", "read-only"], tmp_path).returncode == 0:
        pytest.skip("modes are not obeyed here, and that cannot be changed")
    done = run_obeying_modes(weft_command(*arguments), tmp_path)
    (tmp_path / "closed").chmod(0o755)  # so that it can be removed
    lines = [line for line in done.stderr.splitlines() if "--user-agent" not in line]
    assert len(lines) == 1, done.stderr
    assert lines[0].startswith("weft: ")
    assert arguments[-1].partition("/")[0] in lines[0]
    assert "ermission denied" in lines[0]
    assert (done.returncode, done.stdout) == (code, "")


def test_a_crawl_in_which_nothing_may_be_written_is_reported(tmp_path: Path) -> None:
    with SimProcess(WebSpec(hosts=1, pages=3)) as sim:
        crawl_all(tmp_path / "crawl", quick_config(sim))
    folders = [path for path in (tmp_path / "crawl").rglob("*") if path.is_dir()] + [tmp_path / "crawl"]
    for folder in folders:
        folder.chmod(0o555)
    if run_obeying_modes(["test", "-w", "crawl"], tmp_path).returncode == 0:
        pytest.skip("modes are not obeyed here, and that cannot be changed")
    done = run_obeying_modes(weft_command("report", "crawl"), tmp_path)
    for folder in folders:
        folder.chmod(0o755)  # so that it can be removed
    assert (done.returncode, done.stderr) == (0, "")
    assert "pages" in done.stdout
