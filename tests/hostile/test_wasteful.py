"""Bodies that cost work and yield no bytes: as page, as robots.txt, and read back from the archive."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.scratch import scratch_folder
from weft.simweb.behaviour import Behaviour, Fixed
from weft.types import Outcome

from .beside import Met, meet
from .wasteful import WASTEFUL, Wasteful

NAMES = {name: f"waste-{number}" for number, name in enumerate(WASTEFUL)}
WITHIN_S = 120  # a guard against hanging, and nothing else


class Ran(NamedTuple):
    """The crawl, and where it is."""

    met: Met
    folder: Path


def sent(wasteful: Wasteful) -> Fixed:
    return Fixed(wasteful.raw, headers=(("Content-Encoding", wasteful.coding.decode()),))


@pytest.fixture(scope="module")
def ran() -> Iterator[Ran]:
    """One crawl serves all tests here."""
    sites: dict[tuple[str, str], Behaviour] = {}
    for name, wasteful in WASTEFUL.items():
        links = b"<!DOCTYPE html>" + b"".join(b"<a href=/%d>x</a>" % number for number in range(3))
        sites[f"{NAMES[name]}.test", "/"] = Fixed(links)
        sites |= {(f"{NAMES[name]}.test", f"/{number}"): sent(wasteful) for number in range(3)}
        sites[f"{NAMES[name]}-robots.test", "/robots.txt"] = sent(wasteful)
        sites[f"{NAMES[name]}-robots.test", "/"] = Fixed(b"ok")
    seeds = [(host, path) for host, path in sites if path == "/"]
    with scratch_folder() as folder:
        met = meet(folder / "crawl", sites, seeds=seeds)
        yield Ran(met, folder)


@pytest.mark.parametrize("name", WASTEFUL)
def test_page_that_yields_nothing_is_stored_like_any_other(name: str, ran: Ran) -> None:
    for number in range(3):
        row = ran.met.row(f"{NAMES[name]}.test", f"/{number}")
        assert (row.outcome, row.status) == (Outcome.RESPONSE, 200)


@pytest.mark.parametrize("name", WASTEFUL)
def test_robots_txt_that_yields_nothing_stops_nobody(name: str, ran: Ran) -> None:
    host = f"{NAMES[name]}-robots.test"
    assert [request.path for request in ran.met.log if request.host == host] == ["/robots.txt", "/"]
    assert ran.met.row(host).status == 200


def test_wasteful_bodies_leave_the_rest_of_the_web_alone(ran: Ran) -> None:
    ran.met.assert_neighbours_are_unharmed()
    assert ran.met.exit_code == 0


@pytest.mark.parametrize("command", ["export {} --to jsonl --with text --output {}", "clean {} {}"])
def test_archive_of_wasteful_bodies_is_read_to_its_end(command: str, ran: Ran, tmp_path: Path) -> None:
    words = [sys.executable, "-m", "weft", *command.format(ran.folder / "crawl", tmp_path / "out.jsonl").split()]
    done = subprocess.run(words, capture_output=True, text=True, timeout=WITHIN_S, check=False)
    assert done.returncode == 0, done.stderr
    lines = (tmp_path / "out.jsonl").read_text().splitlines()
    assert len(lines) >= len(ran.met.web.truth().status)
