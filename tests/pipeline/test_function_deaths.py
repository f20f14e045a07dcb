"""A worker's death while functions are called: they are left out before the page's links are, once it is certain."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import uvloop

from tests.store.rig import fetched
from weft.pipeline.messages import PageJob, RelaxJob
from weft.pipeline.parse_workers import ParseWorkers
from weft.pipeline.work import Job
from weft.types import Link, RecordPlace
from weft.workers.suspicion import DEATHS_TO_BLAME, HANG_COUNTS_AS_DEATHS, Death
from weft.workers.worker_process import EXIT_RETIRED

from .pool_rig import PoolRig

URL = "http://a.example/1"
KILLED = -9


@pytest.fixture
def workers(tmp_path: Path) -> Iterator[ParseWorkers[str]]:
    """None of them runs."""

    async def make() -> PoolRig:
        return PoolRig(tmp_path, slots=1, active=1, clock=None, rotate_at_bytes=10**9)

    rig = uvloop.run(make())
    yield rig.workers
    rig.state.close()


def job(*, is_called: bool, number: int = 1) -> Job[str]:
    url = f"http://a.example/{number}"
    return Job(PageJob(Link(url, 1), fetched(url, b"<p>hello"), is_called=is_called), url)


def die(
    workers: ParseWorkers[str], suspect: Job[str], exit_code: int, *bystanders: Job[str], hung: bool = False
) -> None:
    """A worker with these jobs in hand has died, as the pool says it."""
    counted = exit_code != EXIT_RETIRED
    suspect.deaths += (HANG_COUNTS_AS_DEATHS if hung else 1) * counted
    blamed = counted and suspect.deaths >= DEATHS_TO_BLAME
    workers.take_back(Death(suspect, list(bystanders), blamed, hung, "it died", exit_code))


def state_of(suspect: Job[str]) -> tuple[bool, bool]:
    """Whether the functions are called, and whether the page is parsed, the next time."""
    assert isinstance(suspect.message, PageJob)
    return suspect.message.is_called, suspect.message.is_parsed


def test_a_kill_may_have_other_causes_so_functions_are_left_out_at_the_third(workers: ParseWorkers[str]) -> None:
    suspect = job(is_called=True)
    for _ in range(DEATHS_TO_BLAME - 1):
        die(workers, suspect, KILLED)
        assert state_of(suspect) == (True, True)
    die(workers, suspect, KILLED)
    assert state_of(suspect) == (False, True)
    assert suspect.deaths == 0, "the page itself is not suspected yet"


def test_a_page_that_ends_workers_without_functions_too_is_stored_unparsed(workers: ParseWorkers[str]) -> None:
    suspect = job(is_called=True)
    for _ in range(2 * DEATHS_TO_BLAME - 1):
        die(workers, suspect, KILLED)
    assert state_of(suspect) == (False, True)
    die(workers, suspect, KILLED)
    assert state_of(suspect) == (False, False)


@pytest.mark.parametrize("code", [0, 2, 70, 255])
def test_who_exits_does_so_by_itself(workers: ParseWorkers[str], code: int) -> None:
    suspect = job(is_called=True)
    die(workers, suspect, code)
    assert state_of(suspect) == (False, True)


def test_an_exception_may_be_ours(workers: ParseWorkers[str]) -> None:
    suspect = job(is_called=True)
    die(workers, suspect, 1)
    assert state_of(suspect) == (True, True)


def test_functions_that_hang_twice_are_left_out_and_the_host_is_not_blamed(workers: ParseWorkers[str]) -> None:
    suspect = job(is_called=True)
    hung_hosts: list[str] = []
    workers._on_hang = hung_hosts.append
    for _ in range(2):
        die(workers, suspect, KILLED, hung=True)
    assert state_of(suspect) == (False, True)
    assert hung_hosts == []


def test_who_retires_blames_nobody(workers: ParseWorkers[str]) -> None:
    first, second = job(is_called=True), job(is_called=False, number=2)
    for _ in range(2 * DEATHS_TO_BLAME):
        die(workers, first, EXIT_RETIRED, second)
    assert (state_of(first), first.deaths) == ((True, True), 0)
    assert (state_of(second), second.deaths) == ((False, True), 0)
    assert workers.waiting() == 2 * 2 * DEATHS_TO_BLAME, "both are given out again each time"


def test_without_functions_all_is_as_ever(workers: ParseWorkers[str]) -> None:
    suspect = job(is_called=False)
    die(workers, suspect, 0)
    die(workers, suspect, KILLED)
    assert state_of(suspect) == (False, True)
    die(workers, suspect, 3)
    assert state_of(suspect) == (False, False)


def test_a_page_that_is_read_again_is_read_without_functions_then(workers: ParseWorkers[str]) -> None:
    suspect: Job[str] = Job(RelaxJob(Link(URL, 1), RecordPlace("a", 0, 1), is_called=True), URL)
    die(workers, suspect, 0)
    assert isinstance(suspect.message, RelaxJob)
    assert not suspect.message.is_called
