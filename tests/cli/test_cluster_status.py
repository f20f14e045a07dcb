"""What `weft cluster status` prints."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from weft.cli.cluster_status import MATRIX_NODES, headlines, print_status, state_of
from weft.cluster.control import NodeStatus, Status
from weft.cluster.members import Counts


def node(name: str = "a", **changes: Any) -> NodeStatus:
    usual = NodeStatus(
        name=name,
        address="machine-of-a-long-name.example.org",
        weight=100,
        lives=True,
        leaves=False,
        is_drained=False,
        silent_s=1.0,
        is_silent=False,
        buckets=256,
        is_idle=False,
        counts=Counts(pages=1234, queued=56, received=7, sent=8, unsent=9),
        sent_to={"b": 8},
    )
    return msgspec.structs.replace(usual, **changes)


def status(*nodes: NodeStatus, **changes: object) -> Status:
    usual = Status("trial", 256, 0, False, False, "", 100, 1234, 56, list(nodes))
    return msgspec.structs.replace(usual, **changes)


NO_NODE = "No node takes part in it now: `weft node trial` does."


@pytest.mark.parametrize(
    ("found", "lines"),
    [
        (status(node()), ["trial: running; 1,234 pages, 56 queued"]),
        (status(node(), moving=12), [..., "12 of 256 buckets are on their way to a node."]),
        (status(), ["trial: running; 1,234 pages", NO_NODE]),
        (status(node(is_silent=True)), ["trial: running; 1,234 pages", NO_NODE]),
        (
            status(node(), paused=True),
            ["trial: paused; 1,234 pages, 56 queued", "`weft cluster resume trial` goes on."],
        ),
        (status(stopped=True), ["trial: stopped; 1,234 pages"]),
        (status(finished="done"), ["trial: ended, as nothing was left to do; 1,234 pages"]),
        (status(node(), finished="done"), ["trial: ended, as nothing was left to do; 1,234 pages"]),
        (status(finished="limit"), ["trial: ended, as a limit was reached; 1,234 pages"]),
    ],
)
def test_the_first_lines_say_how_the_crawl_stands(found: Status, lines: list[str]) -> None:
    said = headlines(found)
    assert len(said) == len(lines)
    assert all(wanted in (one, ...) for wanted, one in zip(lines, said, strict=True)), said


@pytest.mark.parametrize(
    ("changes", "state"),
    [
        ({}, "busy"),
        ({"is_idle": True}, "idle"),
        ({"is_drained": True, "is_idle": True}, "drained"),
        ({"leaves": True}, "leaving"),
        ({"is_silent": True, "silent_s": 45.4}, "silent for 45 s"),
        ({"lives": False, "leaves": True}, "gone"),
    ],
)
def test_a_node_is_told_in_a_word(changes: dict[str, Any], state: str) -> None:
    assert state_of(node(**changes)) == state


def test_nothing_is_cut_off_where_no_terminal_is(capsys: pytest.CaptureFixture[str]) -> None:
    print_status(status(node(), node("b", lives=False, address="b.test")))
    lines = capsys.readouterr().out.splitlines()
    figures = "busy      100      256  1,234      56         7          8       9"
    assert lines[3] == f"a     machine-of-a-long-name.example.org  {figures}"
    assert lines[-3:] == ["   a  b", "a  0  8", "b  0  8"]


def test_a_matrix_that_fits_no_terminal_is_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    print_status(status(*(node(f"n{number}") for number in range(MATRIX_NODES + 1))))
    assert capsys.readouterr().out.endswith("--json tells.\n")
