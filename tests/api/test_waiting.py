"""A coroutine that waits for another thread blocks its loop, and still hears that it is cancelled."""

from __future__ import annotations

import asyncio
import signal
import threading
import time
from concurrent.futures import Future

import pytest

from tests.api.site import WITHIN_S
from weft.api.waiting import result_of


def test_a_coroutine_is_cancelled_while_it_waits_for_a_thread() -> None:
    unanswered: Future[None] = Future()

    async def main() -> None:
        task = asyncio.current_task()
        assert task is not None

        def interrupt() -> None:
            """As `asyncio.run` does on Ctrl-C, once it waits."""
            give_up_at = time.monotonic() + WITHIN_S
            while not unanswered._condition._waiters and time.monotonic() < give_up_at:  # type: ignore[attr-defined]
                time.sleep(0.01)
            task.cancel()

        threading.Thread(target=interrupt).start()
        result_of(unanswered)

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(main())


def test_a_signal_that_comes_to_another_thread_is_heard() -> None:
    """As one that comes when the thread is about to wait: nothing wakes it."""
    unanswered: Future[str] = Future()
    is_heard = threading.Event()

    def hear(*_: object) -> None:
        is_heard.set()
        unanswered.set_result("heard")

    def take_it() -> None:
        while not unanswered._condition._waiters:  # type: ignore[attr-defined]
            time.sleep(0.01)
        signal.pthread_kill(threading.get_ident(), signal.SIGUSR1)
        if not is_heard.wait(WITHIN_S):
            unanswered.set_result("in vain")

    before = signal.signal(signal.SIGUSR1, hear)
    try:
        threading.Thread(target=take_it).start()
        assert result_of(unanswered) == "heard"
    finally:
        signal.signal(signal.SIGUSR1, before)


def test_what_a_thread_returns_or_raises_comes_with_and_without_a_loop() -> None:
    async def in_a_loop(future: Future[int]) -> int:
        return result_of(future)

    good: Future[int] = Future()
    bad: Future[int] = Future()
    good.set_result(1)
    bad.set_exception(TimeoutError("its own"))
    assert result_of(good) == asyncio.run(in_a_loop(good)) == 1
    with pytest.raises(TimeoutError, match="its own"):
        result_of(bad)
    with pytest.raises(TimeoutError, match="its own"):
        asyncio.run(in_a_loop(bad))
