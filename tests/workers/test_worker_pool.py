"""What a pool does for its employer: workers are kept alive, fed by credit, and their deaths told apart."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
import uvloop

from tests.pipeline.crawling import until
from tests.pipeline.engine_process import await_others, is_alive, sleeps
from weft.errors import WorkerFailed
from weft.workers.suspicion import DEATHS_TO_BLAME
from weft.workers.worker_pool import FIRST_PAUSE_S, LONGEST_PAUSE_S, PAUSE_GROWTH, STARTS_TO_GIVE_UP
from weft.workers.worker_process import CREDIT_BYTES, CREDIT_TASKS, HANG_AFTER_S, Hold, Worker

from .asked_worker import ANSWER, ANSWERS_AT_ONCE, DIE, EXIT, FAIL, HANG
from .pool_rig import Rig, Task, running

PLENTY = [ANSWER] * (3 * CREDIT_TASKS)


def run_with(rig: Callable[[], Rig], act: Callable[[Rig], Awaitable[None]]) -> Rig:
    async def scene() -> Rig:
        async with running(rig()) as made:
            await act(made)
        return made

    return uvloop.run(scene())


def test_all_tasks_are_answered_by_workers_that_share_them() -> None:
    async def act(rig: Rig) -> None:
        await rig.are_ready(2)
        rig.submit(*PLENTY)
        await until(lambda: len(rig.done) == len(PLENTY))
        assert set(rig.done_by.values()) == set(rig.pool.pids())
        assert rig.pool.reading().tasks_done == len(PLENTY)
        assert rig.pool.deaths == 0

    run_with(lambda: Rig(2), act)


@pytest.mark.parametrize(("size_bytes", "credit"), [(1, CREDIT_TASKS), (CREDIT_BYTES // 4, 4)])
def test_a_worker_is_given_no_more_than_its_credit(size_bytes: int, credit: int) -> None:
    async def act(rig: Rig) -> None:
        await rig.are_ready(1)
        os.kill(rig.pool.pids()[0], signal.SIGSTOP)
        rig.submit(*PLENTY, size_bytes=size_bytes)
        assert rig.pool.reading().pending_tasks == credit
        assert len(rig.waiting) == len(PLENTY) - credit

    run_with(lambda: Rig(1), act)


def test_a_worker_that_is_held_back_gets_no_task_until_it_is_let_go() -> None:
    async def act(rig: Rig) -> None:
        await rig.are_ready(1)
        rig.pool.workers[0].holds.add(Hold.PAUSED)
        rig.submit(ANSWER)
        assert (len(rig.waiting), rig.pool.reading().ready) == (1, 0)
        rig.pool.workers[0].holds.remove(Hold.PAUSED)
        rig.give_out()
        await until(lambda: rig.done == [0])

    run_with(lambda: Rig(1), act)


def test_nothing_waits_behind_a_task_that_is_apart() -> None:
    async def act(rig: Rig) -> None:
        await rig.are_ready(1)
        rig.pool.workers[0].send_apart(Task(9, ANSWER, 100), rig.clock.monotonic())
        rig.submit(ANSWER)
        assert len(rig.waiting) == 1
        assert rig.pool.reading().ready == 1  # it takes tasks, if only one at a time
        await until(lambda: rig.done == [9, 0])

    run_with(lambda: Rig(1), act)


def test_the_oldest_task_of_a_dead_worker_is_suspect_and_the_others_are_bystanders() -> None:
    async def act(rig: Rig) -> None:
        await rig.are_ready(1)
        rig.submit(DIE, *[ANSWER] * 5)
        await until(lambda: len(rig.deaths) == DEATHS_TO_BLAME and len(rig.done) == 5)
        assert {death.suspect.message.number for death in rig.deaths} == {0}
        assert [task.message.number for task in rig.deaths[0].bystanders] == [1, 2, 3, 4, 5]
        assert [death.is_to_blame for death in rig.deaths] == [False, False, True]
        assert {death.how for death in rig.deaths} == {"its worker was ended by SIGKILL"}
        assert rig.pool.deaths == DEATHS_TO_BLAME

    run_with(lambda: Rig(1), act)


def test_those_whose_answers_a_dead_worker_held_back_are_bystanders_too() -> None:
    async def act(rig: Rig) -> None:
        await rig.are_ready(1)
        os.kill(rig.pool.pids()[0], signal.SIGSTOP)
        rig.submit(*[ANSWER] * (ANSWERS_AT_ONCE - 1), DIE, ANSWER)
        os.kill(rig.pool.pids()[0], signal.SIGCONT)  # it finds all of them at once
        await until(lambda: len(rig.deaths) == DEATHS_TO_BLAME and len(rig.done) == ANSWERS_AT_ONCE)
        assert {death.suspect.message.number for death in rig.deaths} == {ANSWERS_AT_ONCE - 1}
        assert [task.message.number for task in rig.deaths[0].bystanders] == [0, 1, 3]

    run_with(lambda: Rig(1), act)


def test_a_task_that_hangs_is_to_blame_the_second_time() -> None:
    async def act(rig: Rig) -> None:
        await rig.are_ready(1)
        rig.submit(HANG)
        for number in (1, 2):
            await until(lambda: rig.pool.reading().pending_tasks == 1)
            rig.pool.end_hung_workers()
            assert is_alive(rig.pool.pids()[0])
            rig.clock.advance(HANG_AFTER_S + 1)
            rig.pool.end_hung_workers()
            await until(lambda number=number: len(rig.deaths) == number)  # type: ignore[misc]
        assert [(death.is_to_blame, death.was_hung, death.how) for death in rig.deaths] == [
            (False, True, "it took too long"),
            (True, True, "it took too long"),
        ]

    run_with(lambda: Rig(1), act)


def test_a_worker_that_hangs_before_it_is_ready_is_replaced() -> None:
    async def act(rig: Rig) -> None:
        await until(lambda: len(rig.pool.pids()) == 1)
        rig.first = ANSWER
        rig.clock.advance(HANG_AFTER_S + 1)
        rig.pool.end_hung_workers()
        await rig.are_ready(1)
        assert rig.deaths == []
        assert rig.pool.deaths == 1

    run_with(lambda: Rig(1, first=HANG), act)


@pytest.mark.parametrize(
    ("act_of_task", "how"), [(FAIL, "its worker failed: the last word"), (EXIT, "its worker failed: exit code 9")]
)
def test_how_a_worker_ended_is_told_in_its_own_last_words(act_of_task: str, how: str) -> None:
    async def act(rig: Rig) -> None:
        await rig.are_ready(1)
        rig.submit(act_of_task)
        await until(lambda: bool(rig.deaths))
        assert rig.deaths[0].how == how

    run_with(lambda: Rig(1), act)


@pytest.mark.parametrize("has_log", [False, True])
def test_workers_that_cannot_start_end_the_pool_and_blame_no_task(has_log: bool, tmp_path: Path) -> None:
    log = tmp_path / "log" if has_log else None
    rigs: list[Rig] = []

    async def act(rig: Rig) -> None:
        rigs.append(rig)
        rig.submit(ANSWER)
        await asyncio.Event().wait()

    with pytest.raises(BaseExceptionGroup) as caught:
        run_with(lambda: Rig(1, log, first=FAIL), act)
    said = f"exit code 1\\); see {log}" if has_log else "the last word"
    assert caught.group_contains(WorkerFailed, match=f"asked workers end at once .*{said}")
    assert rigs[0].pauses_s == [FIRST_PAUSE_S, FIRST_PAUSE_S * PAUSE_GROWTH]
    assert rigs[0].deaths == []
    assert len(rigs[0].waiting) == 1
    assert not has_log or "the last word" in (tmp_path / "log").read_text()


def test_what_keeps_workers_from_starting_has_time_to_pass(tmp_path: Path) -> None:
    log = tmp_path / "not yet" / "log"  # it cannot be opened

    async def act(rig: Rig) -> None:
        rig.on_pause = lambda: log.parent.mkdir() if len(rig.pauses_s) == STARTS_TO_GIVE_UP - 1 else None
        rig.submit(ANSWER)
        await until(lambda: rig.done == [0])
        assert rig.pauses_s == [FIRST_PAUSE_S, FIRST_PAUSE_S * PAUSE_GROWTH]

    run_with(lambda: Rig(1, log), act)


def test_the_pauses_between_starts_that_fail_grow_up_to_a_bound_and_begin_again_after_a_start(tmp_path: Path) -> None:
    log = tmp_path / "log"

    async def act(rig: Rig) -> None:
        rig.pool.resize(1)
        await rig.are_ready(1)
        log.unlink()
        log.mkdir()  # from now on it cannot be opened
        rig.pool.resize(2)
        await until(lambda: len(rig.pauses_s) > 5)
        growing = [FIRST_PAUSE_S * PAUSE_GROWTH**number for number in range(3)]
        assert rig.pauses_s[:5] == [*growing, LONGEST_PAUSE_S, LONGEST_PAUSE_S]
        log.rmdir()
        await rig.are_ready(2)
        log.unlink()
        log.mkdir()
        rig.pauses_s.clear()
        os.kill(rig.pool.workers[1].process.pid, signal.SIGKILL)
        await until(lambda: bool(rig.pauses_s))
        assert rig.pauses_s[0] == FIRST_PAUSE_S

    run_with(lambda: Rig(2, log), act)


def test_an_error_of_the_employer_ends_the_pool_and_no_later_answer_is_taken() -> None:
    taken = []

    async def act(rig: Rig) -> None:
        await rig.are_ready(2)

        def fail() -> None:
            taken.append(list(rig.done))
            await_others(lambda: all(map(sleeps, rig.pool.pids())), "that the other one has answered, too")
            raise ZeroDivisionError

        rig.on_take = fail
        rig.submit(*PLENTY)
        await asyncio.Event().wait()

    with pytest.raises(BaseExceptionGroup) as caught:
        run_with(lambda: Rig(2), act)
    assert caught.group_contains(ZeroDivisionError)
    assert len(taken) == 1


def test_closing_ends_a_worker_that_hangs() -> None:
    pids: list[int] = []

    async def act(rig: Rig) -> None:
        await rig.are_ready(1)
        rig.submit(HANG, ANSWER)
        pids.extend(rig.pool.pids())

    rig = run_with(lambda: Rig(1), act)
    assert not is_alive(pids[0])
    assert rig.done == []


def test_a_pool_that_has_ended_starts_no_worker() -> None:
    rig = run_with(lambda: Rig(2), lambda rig: rig.are_ready(2))
    rig.pool.resize(1)
    rig.pool.resize(2)
    assert not any(map(is_alive, rig.pool.pids()))


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_worker_ends_in_order_though_a_fork_of_the_program_has_its_socket() -> None:
    forked = 0
    ended: list[Worker[Task]] = []

    async def act(rig: Rig) -> None:
        nonlocal forked
        await rig.are_ready(1)
        if not (forked := os.fork()):
            signal.pause()
        ended.extend(rig.pool.workers.values())

    try:
        run_with(lambda: Rig(1), act)
    finally:
        os.kill(forked, signal.SIGKILL)
        os.waitpid(forked, 0)
    assert [worker.exit_code for worker in ended] == [0]
