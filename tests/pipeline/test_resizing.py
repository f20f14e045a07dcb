"""Workers come and go while the work goes on: nothing is lost, done twice, or out of order."""

from __future__ import annotations

import asyncio
import os
import random
import signal
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
import uvloop

from weft.clock import FakeClock
from weft.errors import WorkerFailed
from weft.workers.worker_process import CREDIT_TASKS, HANG_AFTER_S

from .crawling import CRAWL_WITHIN_S, until
from .engine_process import is_alive
from .pool_rig import CANNOT_START, LARGE_PAGE, PoolRig, pool_rig

MOST = 3
# Each worker is given all that it may have, and some jobs wait.
PLENTY = CREDIT_TASKS * MOST + 10


def run_with(folder: Path, act: Callable[[PoolRig], Awaitable[None]], *, slots: int = MOST, active: int = MOST) -> None:
    """Run a pool, and do something to it."""

    async def scene() -> None:
        async with pool_rig(folder, slots=slots, active=active) as rig:
            await act(rig)

    uvloop.run(asyncio.wait_for(scene(), CRAWL_WITHIN_S))


async def second_worker_of(rig: PoolRig) -> int:
    """The process of slot 1, in a pool that has begun with slot 0 alone."""
    await rig.are_ready(1)
    (first,) = rig.pool.pids()
    rig.pool.resize(2)
    await rig.are_ready(2)
    (second,) = set(rig.pool.pids()) - {first}
    return second


def test_a_pool_grows_and_shrinks_while_it_works(tmp_path: Path) -> None:
    async def act(rig: PoolRig) -> None:
        sizes = iter([1, MOST, 1, 2, MOST, 2, 1, MOST])
        resize_at = 0

        def resize_now_and_then() -> None:
            nonlocal resize_at
            if len(rig.done) >= resize_at and (size := next(sizes, None)):
                rig.pool.resize(size)
                resize_at += 60

        rig.after_commit = resize_now_and_then
        rig.submit(500)
        await rig.all_done()
        await rig.are_ready(MOST)
        assert rig.pool.deaths == 0

    run_with(tmp_path, act)


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.large) for seed in range(1, 10))])
def test_resizing_at_any_answer_loses_nothing(seed: int, tmp_path: Path) -> None:
    async def act(rig: PoolRig) -> None:
        chance = random.Random(seed)
        rig.after_commit = lambda: rig.pool.resize(chance.randint(1, MOST)) if chance.random() < 0.3 else None
        rig.submit(300)
        await rig.all_done()
        rig.after_commit = lambda: None
        for size in (MOST, 1):
            rig.pool.resize(size)
            await rig.are_ready(size)
        assert rig.pool.deaths == 0

    run_with(tmp_path, act)


def test_files_that_fill_up_while_workers_leave_are_finished_once(tmp_path: Path) -> None:
    async def scene() -> None:
        async with pool_rig(tmp_path, slots=2, active=2, rotate_at_bytes=20_000) as rig:
            chance = random.Random(1)
            rig.after_commit = lambda: rig.pool.resize(chance.randint(1, 2)) if chance.random() < 0.5 else None
            rig.submit(8 * CREDIT_TASKS)  # a file is full when its worker has answered what it had
            await rig.all_done()

    uvloop.run(asyncio.wait_for(scene(), CRAWL_WITHIN_S))
    assert len(list((tmp_path / "archive").iterdir())) > 3


def test_one_that_leaves_gets_no_more_jobs_and_finishes_those_that_it_has(tmp_path: Path) -> None:
    async def act(rig: PoolRig) -> None:
        leaving = await second_worker_of(rig)
        rig.submit(PLENTY)
        rig.pool.resize(1)
        assert leaving in rig.pool.pids()
        assert rig.pool.reading().ready == 1
        await rig.all_done()
        assert 1 <= sum(slot == 1 for slot in rig.slots_of.values()) <= CREDIT_TASKS
        await rig.are_ready(1)
        assert not is_alive(leaving)

    run_with(tmp_path, act, active=1)


def test_one_that_is_still_leaving_stays_when_it_is_wanted_again(tmp_path: Path) -> None:
    async def act(rig: PoolRig) -> None:
        second = await second_worker_of(rig)
        before = rig.pool.pids()
        rig.submit(PLENTY)
        rig.pool.resize(1)
        rig.pool.resize(2)
        await rig.all_done()
        while sum(slot == 1 for slot in rig.slots_of.values()) <= CREDIT_TASKS:  # the other one may have been faster
            rig.submit(PLENTY)
            await rig.all_done()
        assert second in before
        assert rig.pool.pids() == before

    run_with(tmp_path, act, active=1)


def test_the_next_worker_of_a_slot_goes_on_in_its_file(tmp_path: Path) -> None:
    async def act(rig: PoolRig) -> None:
        first = await second_worker_of(rig)
        for _ in range(2):
            rig.submit(PLENTY)
            await rig.all_done()
            rig.pool.resize(1)  # it has nothing to do, so it is closed at once
            rig.pool.resize(2)
            await rig.are_ready(2)
            assert first not in rig.pool.pids()
        assert rig.pool.deaths == 0
        assert len(rig.archive.files()) == 2

    run_with(tmp_path, act, active=1)


def test_large_pages_are_read_at_each_size_by_the_worker_that_is_always_there(tmp_path: Path) -> None:
    async def act(rig: PoolRig) -> None:
        for size in (1, MOST, 2, 1):
            rig.pool.resize(size)
            rig.submit(PLENTY)
            rig.submit(2, LARGE_PAGE)
            rig.pool.resize(MOST - size + 1)
            await rig.all_done()
            assert {rig.slots_of[url] for url in rig.given[-2:]} == {0}

    run_with(tmp_path, act)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV])
def test_one_that_dies_while_it_leaves_gives_its_jobs_back(number: signal.Signals, tmp_path: Path) -> None:
    async def act(rig: PoolRig) -> None:
        leaving = await second_worker_of(rig)
        os.kill(leaving, signal.SIGSTOP)  # or it might have left before
        rig.submit(PLENTY)
        rig.pool.resize(1)
        os.kill(leaving, number)
        os.kill(leaving, signal.SIGCONT)
        await rig.all_done()
        await rig.are_ready(1)
        assert rig.pool.deaths == 1

    run_with(tmp_path, act, active=1)


def test_the_only_worker_may_die_while_others_leave(tmp_path: Path) -> None:
    async def act(rig: PoolRig) -> None:
        await rig.are_ready(1)
        (only,) = rig.pool.pids()
        rig.pool.resize(MOST)
        await rig.are_ready(MOST)
        rig.submit(PLENTY)
        rig.pool.resize(1)
        os.kill(only, signal.SIGKILL)
        await rig.all_done()
        await rig.are_ready(1)

    run_with(tmp_path, act, active=1)


def test_a_pool_can_be_closed_while_workers_leave_and_others_start(tmp_path: Path) -> None:
    pids: list[int] = []

    async def act(rig: PoolRig) -> None:
        await second_worker_of(rig)
        rig.submit(PLENTY)
        rig.pool.resize(1)
        rig.pool.resize(MOST)
        rig.pool.resize(1)
        rig.pool.resize(MOST)
        await until(lambda: len(rig.pool.pids()) == MOST)
        pids.extend(rig.pool.pids())
        rig.pool.resize(1)

    run_with(tmp_path, act, active=1)
    assert len(pids) == MOST
    assert not any(map(is_alive, pids))


def test_one_that_is_not_wanted_any_more_before_it_is_ready_goes_without_a_word(tmp_path: Path) -> None:
    async def act(rig: PoolRig) -> None:
        await rig.are_ready(1)
        rig.pool.resize(2)
        await until(lambda: len(rig.pool.pids()) == 2)
        rig.pool.resize(1)
        await rig.are_ready(1)
        assert rig.pool.deaths == 0
        assert rig.log.read_text() == ""

    run_with(tmp_path, act, active=1)


def test_one_that_dies_at_its_start_while_the_pool_grows_leaves_the_others_at_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def act(rig: PoolRig) -> None:
        await rig.are_ready(1)
        monkeypatch.setenv(CANNOT_START, "1")
        rig.pool.resize(2)
        rig.submit(PLENTY)
        await until(lambda: rig.pool.deaths > 3)
        await rig.all_done()
        assert set(rig.slots_of.values()) == {0}
        monkeypatch.delenv(CANNOT_START)
        await rig.are_ready(2)

    run_with(tmp_path, act, active=1)


def test_a_process_that_cannot_be_had_while_the_pool_grows_is_tried_for_again(tmp_path: Path) -> None:
    async def act(rig: PoolRig) -> None:
        await rig.are_ready(1)
        away = rig.log.parent.rename(tmp_path / "away")  # no worker starts without its log
        rig.pool.resize(2)
        rig.submit(PLENTY)
        await rig.all_done()
        assert len(rig.pool.pids()) == 1
        away.rename(rig.log.parent)
        await rig.are_ready(2)
        assert rig.pool.deaths == 0

    run_with(tmp_path, act, active=1)


def test_a_pool_whose_first_worker_cannot_start_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CANNOT_START, "1")

    async def act(rig: PoolRig) -> None:
        await asyncio.sleep(CRAWL_WITHIN_S)

    with pytest.raises(BaseExceptionGroup) as caught:
        run_with(tmp_path, act, slots=1, active=1)
    assert caught.group_contains(WorkerFailed, match="exit code 9")


def test_the_count_stays_between_one_and_the_slots(tmp_path: Path) -> None:
    async def act(rig: PoolRig) -> None:
        rig.pool.resize(0)
        assert rig.pool.active == 1
        rig.pool.resize(MOST + 5)
        assert rig.pool.active == MOST == rig.pool.slots

    run_with(tmp_path, act)


def test_a_reading_tells_what_was_done_and_how_long_workers_had_nothing_to_do(tmp_path: Path) -> None:
    async def scene() -> None:
        clock = FakeClock()
        async with pool_rig(tmp_path, slots=MOST, active=2, clock=clock) as rig:
            await rig.are_ready(2)
            rig.pool.reading()
            clock.advance(5.0)
            first = rig.pool.reading()
            assert (first.tasks_done, first.idle_s, first.active, first.ready) == (0, 10.0, 2, 2)
            clock.advance(3.0)
            rig.submit(PLENTY)
            clock.advance(HANG_AFTER_S / 2)  # they are at work
            second = rig.pool.reading()
            assert second.idle_s == 6.0
            assert second.pending_tasks == 2 * CREDIT_TASKS
            assert rig.workers.waiting() == PLENTY - 2 * CREDIT_TASKS
            await rig.all_done()
            clock.advance(1.0)
            third = rig.pool.reading()
            assert (third.tasks_done, third.idle_s, rig.workers.waiting()) == (PLENTY, 2.0, 0)
            rig.pool.resize(1)
            clock.advance(1.0)
            fourth = rig.pool.reading()
            assert (fourth.tasks_done, fourth.idle_s, fourth.active, fourth.ready) == (0, 1.0, 1, 1)

    uvloop.run(asyncio.wait_for(scene(), CRAWL_WITHIN_S))


def test_one_that_hangs_while_it_leaves_is_ended(tmp_path: Path) -> None:
    async def scene() -> None:
        clock = FakeClock()
        async with pool_rig(tmp_path, slots=2, active=1, clock=clock) as rig:
            leaving = await second_worker_of(rig)
            os.kill(leaving, signal.SIGSTOP)
            rig.submit(PLENTY)
            rig.pool.resize(1)
            await until(lambda: rig.workers.unfinished() == CREDIT_TASKS)
            rig.pool.end_hung_workers()
            assert is_alive(leaving)
            clock.advance(HANG_AFTER_S + 1)
            rig.pool.end_hung_workers()
            await rig.all_done()
            await rig.are_ready(1)
            assert rig.pool.deaths == 1

    uvloop.run(asyncio.wait_for(scene(), CRAWL_WITHIN_S))
