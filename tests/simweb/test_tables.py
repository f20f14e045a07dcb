from __future__ import annotations

from typing import get_args

from weft.simweb.behaviour import Behaviour, Fault, TrapKind
from weft.simweb.faults import FAULTS
from weft.simweb.play import PLAYERS
from weft.simweb.robotstxt import RobotsTxt, answer_robots
from weft.simweb.spec import WebSpec
from weft.simweb.traps import TRAPS


def test_every_fault_has_its_doing() -> None:
    assert FAULTS.keys() == set(Fault)


def test_every_behaviour_has_its_player() -> None:
    assert PLAYERS.keys() == set(get_args(Behaviour))


def test_every_trap_has_its_pages() -> None:
    assert TRAPS.keys() == set(TrapKind)


def test_every_robots_txt_has_its_answer() -> None:
    for kind in set(RobotsTxt) - {RobotsTxt.MISSING}:
        assert answer_robots(kind, WebSpec(), "/next")
