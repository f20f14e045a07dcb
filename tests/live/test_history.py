"""The curves of a crawl: evenly spread over all its runs, in a file that stays small."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

from tests.faults.disks import small_disk
from weft.config import MIB
from weft.live.history import MOST_POINTS, History, read_moments
from weft.live.status import Moment


def moment(at: float) -> Moment:
    return Moment(at, int(at), 0, 1.0, 0.0, 0, 0, [1, 2, 3], [0, 0, 0], [0.0, 0.0, 0.0], 0, 0, 0, "servers")


def test_the_file_stays_small_and_its_points_evenly_spread(tmp_path: Path) -> None:
    path = tmp_path / "history.jsonl"
    history = History(path)
    for second in range(10 * MOST_POINTS):
        history.add(moment(float(second)))
    moments = read_moments(path)
    assert MOST_POINTS // 2 <= len(moments) <= MOST_POINTS
    assert (moments[0].at, 10 * MOST_POINTS - moments[-1].at < 20) == (0.0, True)
    assert {b.at - a.at for a, b in pairwise(moments)} == {16.0}


def test_the_next_run_goes_on_with_the_step_of_the_one_before_whatever_lies_between(tmp_path: Path) -> None:
    path = tmp_path / "history.jsonl"
    history = History(path)
    for second in range(MOST_POINTS + MOST_POINTS // 2):
        history.add(moment(float(second)))
    step_s = read_moments(path)[1].at
    begin = 1e6
    history = History(path)
    for second in range(40):
        history.add(moment(begin + second))
    added = [one.at - begin for one in read_moments(path) if one.at >= begin]
    assert added == [n * step_s for n in range(len(added))]
    assert len(added) == 40 / step_s


def test_what_a_kill_left_of_a_line_is_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "history.jsonl"
    History(path).add(moment(1.0))
    with path.open("ab") as file:
        file.write(b'{"at":2.0,"pages"')
    assert [one.at for one in read_moments(path)] == [1.0]
    History(path).add(moment(3.0))
    assert [one.at for one in read_moments(path)] == [1.0, 3.0]


def test_a_line_that_was_spoilt_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "history.jsonl"
    history = History(path)
    history.add(moment(1.0))
    history.add(moment(3.0))
    path.write_bytes(path.read_bytes().replace(b"servers", b"serv\xffrs", 1))
    assert [one.at for one in read_moments(path)] == [3.0]


def test_a_full_disk_is_no_reason_not_to_go_on(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", MIB) as disk:
        path = disk.path / "history.jsonl"
        History(path).add(moment(1.0))
        disk.fill()
        History(path)
        assert [one.at for one in read_moments(path)] == [1.0]


def test_a_clock_that_was_set_back_adds_points_all_the_same(tmp_path: Path) -> None:
    path = tmp_path / "history.jsonl"
    history = History(path)
    history.add(moment(100.0))
    history.add(moment(50.0))
    assert [one.at for one in read_moments(path)] == [100.0, 50.0]
