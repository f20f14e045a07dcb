"""One exchange without a socket: its time-outs, and what must not be lost or used again."""

from __future__ import annotations

import asyncio
import errno
from collections.abc import Callable
from pathlib import Path

import pytest

from weft.clock import FakeClock
from weft.errors import DiskFull
from weft.fetch import FetchConfig, MemoryBudget
from weft.fetch.body import Body, SpoolFolder
from weft.fetch.exchange import Exchange
from weft.types import Outcome

from .framings import OK
from .rig import PAGE
from .test_body import FullDisk

CONFIG = FetchConfig(
    spool_over_bytes=1000, head_timeout_s=30, idle_timeout_s=20, total_timeout_s=100, slowest_bytes_per_s=0.05
)


class Desk:
    """An exchange and the clock it goes by."""

    def __init__(self, spool_folder: SpoolFolder) -> None:
        self.clock = FakeClock()
        self.body = Body(CONFIG, MemoryBudget(), spool_folder)
        finished = asyncio.get_running_loop().create_future()
        self.exchange = Exchange(b"", self.body, CONFIG, self.clock, finished, 10**9)

    def outcome_after(self, seconds: float) -> Outcome | None:
        """What a sweep makes of it when time has passed."""
        self.clock.advance(seconds)
        self.exchange.end_if_late(self.clock.monotonic())
        return self.exchange.outcome


def on_a_desk(scenario: Callable[[Desk], None], spool_folder: SpoolFolder | None = None) -> None:
    async def run() -> None:
        scenario(Desk(spool_folder or SpoolFolder(Path("unused"))))

    asyncio.run(run())


def test_head_has_its_time_however_it_drips() -> None:
    def scenario(desk: Desk) -> None:
        for byte in OK[:5]:
            desk.exchange.receive(bytes([byte]))
            assert desk.outcome_after(6) is None
        assert desk.outcome_after(0.1) is Outcome.RESPONSE_TIMEOUT

    on_a_desk(scenario)


def test_pause_within_the_body_has_its_time_anew_after_each_piece() -> None:
    def scenario(desk: Desk) -> None:
        desk.exchange.receive(OK + b"\r\n")
        for _ in range(3):
            assert desk.outcome_after(19) is None
            desk.exchange.receive(b"x")
        assert desk.outcome_after(20.1) is Outcome.STALLED

    on_a_desk(scenario)


def test_body_that_drips_is_given_up_once_it_had_three_idle_times_to_get_going() -> None:
    def scenario(desk: Desk) -> None:
        desk.exchange.receive(OK + b"\r\n" + b"x")
        for _ in range(5):
            assert desk.outcome_after(15) is None
            desk.exchange.receive(b"")
        # One byte is 0.05 a second for 20 s; the first 60 s are not counted.
        assert desk.outcome_after(4.9) is None
        assert desk.outcome_after(0.2) is Outcome.TOO_SLOW
        assert desk.exchange.truncated == "time"

    on_a_desk(scenario)


def test_whole_request_has_its_time_however_steadily_bytes_come() -> None:
    def scenario(desk: Desk) -> None:
        desk.exchange.receive(OK + b"\r\n")
        for _ in range(10):
            assert desk.outcome_after(10) is None
            desk.exchange.receive(b"x")
        assert desk.outcome_after(0.1) is Outcome.TOO_SLOW
        assert desk.exchange.truncated == "time"

    on_a_desk(scenario)


def test_finished_exchange_is_not_late_and_cannot_be_lost() -> None:
    def scenario(desk: Desk) -> None:
        desk.exchange.receive(PAGE)
        assert desk.outcome_after(1000) is Outcome.RESPONSE
        desk.exchange.lose(ConnectionResetError())
        desk.exchange.give_up()
        assert desk.exchange.outcome is Outcome.RESPONSE

    on_a_desk(scenario)


@pytest.mark.parametrize("code", [errno.EPROTO, errno.ENOPROTOOPT, errno.EMSGSIZE, 9999])
def test_connection_that_ends_by_any_error_is_reset(code: int) -> None:
    def scenario(desk: Desk) -> None:
        desk.exchange.lose(OSError(code, "by ICMP"))
        assert desk.exchange.outcome is Outcome.RESET

    on_a_desk(scenario)


def test_bytes_behind_the_response_forbid_the_connection() -> None:
    def scenario(desk: Desk) -> None:
        desk.exchange.receive(PAGE)
        assert desk.exchange.connection_reusable
        desk.exchange.receive(b"x")
        assert not desk.exchange.connection_reusable

    on_a_desk(scenario)


def test_full_disk_is_not_taken_for_a_fault_of_the_server(tmp_path: Path) -> None:
    def scenario(desk: Desk) -> None:
        desk.exchange.receive(OK + b"Content-Length: 2000\r\n\r\n" + b"x" * 1500)
        assert desk.exchange.outcome is None
        with pytest.raises(DiskFull):
            desk.exchange.finished.result()

    on_a_desk(scenario, FullDisk(tmp_path))
