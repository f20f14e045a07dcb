"""`weft doctor`: each thing it looks at, well and ill. Only name servers on loopback are asked."""

from __future__ import annotations

import json
import os
import re
import sys
import tomllib
from pathlib import Path

import pytest
import uvloop

from tests.dns.nameserver import SERVFAIL, Zone, name_server
from weft.cli.doctor import examine, servers_in
from weft.cli.health import (
    ASKED_NAME,
    COMFORTABLE_FILES,
    LIBRARIES,
    Finding,
    Level,
    compiler,
    file_limit,
    libraries,
    name_servers,
    optional_parts,
)
from weft.cli.health_disk import disk_findings, existing_part_of, space, sync_speed
from weft.missing_library import how_to_install
from weft.simweb import SimProcess, WebSpec

from .running import Finished, assert_is_one_sentence, closed_port

WITHIN_S = 0.3


def verdicts(zones: dict[str, Zone], *more: str) -> list[Finding]:
    """What is said of a name server that answers so, and of others."""

    async def ask() -> list[Finding]:
        async with name_server(zones) as server:
            return await name_servers([f"127.0.0.1:{server.port}", *more], WITHIN_S)

    return uvloop.run(ask())


def levels(findings: list[Finding]) -> list[Level]:
    return [finding.level for finding in findings]


@pytest.mark.parametrize("zones", [{ASKED_NAME: Zone(("192.0.2.1",))}, {}], ids=["with an address", "no such name"])
def test_any_answer_shows_that_a_name_server_works(zones: dict[str, Zone]) -> None:
    assert levels(verdicts(zones)) == [Level.OK]


@pytest.mark.parametrize("zone", [Zone(silent=True), Zone(rcode=SERVFAIL)], ids=["silent", "failing"])
def test_a_name_server_that_does_not_answer_is_a_problem_with_advice(zone: Zone) -> None:
    (finding,) = verdicts({ASKED_NAME: zone})
    assert finding.level is Level.PROBLEM
    assert "--dns-server" in finding.advice


def test_a_silent_server_beside_one_that_answers_is_only_a_warning() -> None:
    assert levels(verdicts({}, f"127.0.0.1:{closed_port()}")) == [Level.OK, Level.WARN]


def test_no_name_server_at_all_is_a_problem() -> None:
    assert levels(uvloop.run(name_servers([]))) == [Level.PROBLEM]


def test_the_systems_name_servers_are_read_from_its_file(tmp_path: Path) -> None:
    file = tmp_path / "resolv.conf"
    file.write_text("# made by hand\nsearch example.test\nnameserver 127.0.0.53\n  nameserver ::1\nnameserver\n")
    assert servers_in(file) == ["127.0.0.53", "::1"]
    assert servers_in(tmp_path / "missing") == []


@pytest.mark.parametrize(
    ("hard", "level"),
    [(100, Level.PROBLEM), (1024, Level.WARN), (COMFORTABLE_FILES, Level.OK), (1 << 20, Level.OK), (-1, Level.OK)],
)
def test_the_file_limit_counts_by_what_weft_may_raise_it_to(hard: int, level: Level) -> None:
    finding = file_limit(100, hard)
    assert finding.level is level
    assert ("ulimit" in finding.advice) == (level is not Level.OK)


@pytest.mark.parametrize(
    ("free_bytes", "level"), [(10_000_000, Level.PROBLEM), (1_000_000_000, Level.WARN), (10**11, Level.OK)]
)
def test_little_space_is_a_warning_and_hardly_any_a_problem(free_bytes: int, level: Level) -> None:
    assert space(free_bytes).level is level


def test_a_slow_disk_is_a_warning() -> None:
    assert levels([sync_speed(0.005), sync_speed(0.5)]) == [Level.OK, Level.WARN]


def test_a_folder_that_can_be_written_to_is_well_also_when_weft_has_to_make_it(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "new" / "crawl"):
        findings = disk_findings(folder)
        assert findings[0].level is Level.OK
        assert str(tmp_path) in findings[0].said
        assert [finding.subject for finding in findings] == ["folder", "disk space", "disk speed"]
    assert existing_part_of(tmp_path / "new" / "crawl") == tmp_path
    assert os.listdir(tmp_path) == []  # nothing is left behind


def test_a_folder_that_cannot_be_written_to_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    assert levels(disk_findings(tmp_path / "file" / "crawl")) == [Level.PROBLEM]


def test_a_missing_library_is_a_problem_and_a_missing_optional_part_is_not() -> None:
    assert libraries().level is Level.OK
    missing = libraries(("msgspec", "no-such-library"))
    assert (missing.level, missing.advice) == (Level.PROBLEM, how_to_install("no-such-library"))
    (part,) = optional_parts({"no-such-library": "`weft fly`"})
    assert part.level is Level.OK
    assert how_to_install("no-such-library") in part.advice


def test_where_a_library_is_missing_what_wants_it_is_not_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("weft.cli.doctor.libraries", lambda: libraries(("no-such-library",)))
    for wants_libraries in ("weft.dns.name_servers", "weft.parse.scan"):
        monkeypatch.setitem(sys.modules, wants_libraries, None)  # to import it would raise
    assert [finding.subject for finding in examine(tmp_path, ["127.0.0.1"])] == ["Python", "libraries", "compiler"]


def test_the_libraries_are_those_that_the_package_requires() -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    required = [re.split(r"[<>=\[; ]", name)[0] for name in project["dependencies"]]
    assert sorted(LIBRARIES) == sorted(required)


def test_the_compiler_is_named_or_said_to_be_missing(tmp_path: Path) -> None:
    assert "none found" in compiler(str(tmp_path)).said
    (tmp_path / "cc").touch(0o755)
    assert compiler(str(tmp_path)).said == str(tmp_path / "cc")


def test_a_machine_that_is_fit_exits_0_and_says_so_line_by_line(tmp_path: Path) -> None:
    with SimProcess(WebSpec(hosts=1, pages=1)) as sim:
        done = Finished("doctor", "--dns-server", sim.dns, cwd=tmp_path)
        as_json = Finished("doctor", "--dns-server", sim.dns, "--json", cwd=tmp_path)
    assert (done.code, done.errors) == (0, "")
    for subject in (
        "Python",
        "libraries",
        "pyarrow",
        "compiler",
        "link scanner",
        "file limit",
        "folder",
        "disk space",
        "disk speed",
    ):
        assert subject in done.out
    assert f"{sim.dns} answers" in done.out
    findings = json.loads(as_json.out)
    assert {finding["level"] for finding in findings} <= {"OK", "warn"}
    assert {"level", "subject", "said", "advice"} == findings[0].keys()


def test_a_problem_exits_1_with_what_to_do(tmp_path: Path) -> None:
    done = Finished("doctor", "--dns-server", f"127.0.0.1:{closed_port()}", cwd=tmp_path)
    assert done.code == 1
    assert "problem DNS" in done.out
    assert "name another in /etc/resolv.conf" in done.out


def test_a_name_server_that_is_none_is_refused(tmp_path: Path) -> None:
    done = Finished("doctor", "--dns-server", "home", cwd=tmp_path)
    assert done.code == 2
    assert_is_one_sentence(done)
