"""Which page is blamed for the deaths of workers, and after how many."""

from __future__ import annotations

import pytest

from weft.errors import WorkerFailed
from weft.extract.blame import BLAMED_TO_BELIEVE, MOST_BLAMED, Blame, StretchTask
from weft.extract.stretches import Place
from weft.workers.suspicion import Death


def places(*numbers: int) -> list[Place]:
    return [(number, b"%d" % number) for number in numbers]


def death(task: StretchTask, *, was_hung: bool = False) -> Death[StretchTask]:
    task.deaths += 1
    return Death(task, [], False, was_hung, "it died")


def test_the_page_that_a_worker_was_at_is_tried_again_alone_and_blamed_at_the_third_death() -> None:
    blame = Blame()
    task = StretchTask(1, "a", places(1, 2, 3))
    assert blame.pieces(death(task), (1, 1)) == ([places(1), places(2), places(3)], None)
    alone = StretchTask(2, "a", places(2))
    assert blame.pieces(death(alone), (2, 0)) == ([places(2)], None)
    assert blame.pieces(death(StretchTask(3, "a", places(2))), (3, 0)) == ([], places(2)[0])
    assert blame.blamed == 1


def test_a_page_over_which_two_workers_hung_is_to_blame() -> None:
    blame = Blame()
    assert blame.pieces(death(StretchTask(1, "a", places(1, 2)), was_hung=True), (1, 0))[1] is None
    pieces, blamed = blame.pieces(death(StretchTask(2, "a", places(1)), was_hung=True), (2, 0))
    assert (pieces, blamed) == ([], places(1)[0])


def test_a_function_that_ends_workers_again_and_again_is_believed_at_once_and_stopped_at_last() -> None:
    blame = Blame()
    blame.blamed = BLAMED_TO_BELIEVE
    assert blame.pieces(death(StretchTask(1, "a", places(1, 2, 3))), (1, 0)) == ([places(2, 3)], places(1)[0])
    blame.blamed = MOST_BLAMED
    with pytest.raises(WorkerFailed, match="it died"):
        blame.pieces(death(StretchTask(2, "a", places(2))), (2, 0))


def test_a_worker_that_died_at_no_page_blames_none_but_not_for_ever() -> None:
    blame = Blame()
    task = StretchTask(5, "a", places(1, 2))
    for _ in range(2):
        assert blame.pieces(death(task), (4, 1)) == ([places(1, 2)], None)
    with pytest.raises(WorkerFailed, match="before they begin"):
        blame.pieces(death(task), (4, 1))
