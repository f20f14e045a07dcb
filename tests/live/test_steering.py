"""What a person tells a crawl takes effect at once, survives kills, and is in the log once."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

import msgspec
import pytest

from tests.pipeline.engine_process import EngineProcess, prepare_folder, start_weft, weft_environment
from weft.folder.layout import load_config
from weft.live.commands import (
    AddSeeds,
    Block,
    Command,
    Exclude,
    Pause,
    Resume,
    SetDelay,
    SetRate,
    Stop,
    Unblock,
    in_words,
)  # fmt: skip
from weft.live.mailbox import is_waiting, put_command, waiting_commands
from weft.live.reader import read_status
from weft.live.status import State, Status

from .hosts import Hosts

WITHIN_S = 60.0
ONE, OTHER, NEW = range(3)


def await_(what: Callable[[], bool]) -> None:
    give_up_at = time.monotonic() + WITHIN_S
    while not what():
        assert time.monotonic() < give_up_at, "waited in vain"
        time.sleep(0.01)


@contextmanager
def crawling(folder: Path) -> Iterator[EngineProcess]:
    """A crawl that would take half a minute, resumed."""
    process = EngineProcess(folder)
    try:
        await_(lambda: (status := read_status(folder)) is not None and status.pid == process.pid)
        yield process
    finally:
        if process.is_running():
            process.kill_engine()


@pytest.fixture
def hosts() -> Iterator[Hosts]:
    with Hosts() as hosts:
        yield hosts


@pytest.fixture
def folder(hosts: Hosts, tmp_path: Path) -> Path:
    prepare_folder(tmp_path / "crawl", hosts.config())
    return tmp_path / "crawl"


def tell(folder: Path, command: Command) -> str:
    """Returns when it is carried out."""
    number = put_command(folder, command)
    await_(lambda: not is_waiting(folder, number))
    return number


def status_of(folder: Path, holds: Callable[[Status], bool]) -> Status:
    """The first one of which this is true."""
    found: list[Status] = []

    def is_there() -> bool:
        status = read_status(folder)
        if status is not None and holds(status):
            found.append(status)
        return bool(found)

    await_(is_there)
    return found[0]


def logged(folder: Path) -> list[str]:
    """The words of all commands in the log."""
    lines = map(json.loads, (folder / "crawl.log").read_text().splitlines())
    return [line["annotations"][0] for line in lines if line["outcome"] == "command"]


def test_a_pause_lets_nothing_begin_and_survives_a_kill(hosts: Hosts, folder: Path) -> None:
    with crawling(folder) as process:
        tell(folder, Pause())
        status_of(folder, lambda status: status.state is State.PAUSED and not status.under_way)
        before = len(hosts.requests)
        process.kill_engine()
    with crawling(folder):
        status_of(folder, lambda status: status.state is State.PAUSED and status.limiter.name == "paused")
        assert len(hosts.requests) == before
        tell(folder, Resume())
        await_(lambda: len(hosts.requests) > before)
    assert logged(folder) == ["paused", "resumed"]


def test_a_rate_holds_at_once_and_after_a_kill(hosts: Hosts, folder: Path) -> None:
    with crawling(folder) as process:
        tell(folder, SetRate(2.0))
        assert status_of(folder, lambda status: status.limiter.name == "pace").steered.rate == 2.0
        process.kill_engine()
    with crawling(folder):
        status_of(folder, lambda status: status.limiter.name == "pace")
        tell(folder, SetRate(None))
        status_of(folder, lambda status: status.limiter.name != "pace" and status.steered.rate is None)
    assert load_config(folder).rate is None


def test_of_a_blocked_host_nothing_more_is_asked_also_after_a_kill(hosts: Hosts, folder: Path) -> None:
    one, other, _ = hosts.names
    with crawling(folder) as process:
        await_(lambda: hosts.asked(one) > 3)
        tell(folder, Block(one))
        status_of(folder, lambda status: [left.name for left in status.left] == [one])
        await_(lambda: (before := hosts.asked(one)) > 0 and _others_go_on(hosts, before))
        before = hosts.asked(one)
        process.kill_engine()
    with crawling(folder):
        others = hosts.asked(other)
        await_(lambda: hosts.asked(other) > others + 10)
        assert hosts.asked(one) == before
        tell(folder, Unblock(one))
        await_(lambda: hosts.asked(one) > before)


def test_a_crawl_whose_hosts_are_all_blocked_ends_and_says_how_to_unblock_them(hosts: Hosts, folder: Path) -> None:
    with crawling(folder) as process:
        status_of(folder, lambda status: status.pages > 0)  # blocked before that, the seeds have failed: exit code 4
        for name in (hosts.names[ONE], hosts.names[OTHER]):
            put_command(folder, Block(name))
        _, said = process.popen.communicate(timeout=WITHIN_S)
    assert process.popen.returncode == 3
    assert f"`weft control {folder} unblock HOST`" in said.decode()


def _others_go_on(hosts: Hosts, before: int) -> bool:
    """What was under way has ended when the other host was asked a few times more, and this one was not."""
    one, other, _ = hosts.names
    others = hosts.asked(other)
    await_(lambda: hosts.asked(other) > others + 3)
    return hosts.asked(one) == before


def test_a_hosts_delay_is_kept_from_then_on(hosts: Hosts, folder: Path) -> None:
    one, other, _ = hosts.names
    with crawling(folder):
        tell(folder, SetDelay(one, 0.5))
        since, others = hosts.asked(one), hosts.asked(other)
        await_(lambda: hosts.asked(one) >= since + 3 and hosts.asked(other) >= others + 3)
    assert min(_gaps_s(hosts, one, since)) >= 0.5 > min(_gaps_s(hosts, other, others))
    assert load_config(folder).host_delays == ((one, 0.5),)


def _gaps_s(hosts: Hosts, host: str, since: int) -> list[float]:
    times = [request.at for request in hosts.requests if request.host == host][since:]
    return [later - earlier for earlier, later in pairwise(times)]


def test_seeds_that_are_added_are_visited_and_widen_the_scope(hosts: Hosts, folder: Path) -> None:
    _, _, new = hosts.names
    with crawling(folder):
        tell(folder, AddSeeds([hosts.home(NEW)]))
        await_(lambda: hosts.asked(new, "/a/") > 0)


def test_a_seed_that_is_added_with_a_login_is_asked_for_with_it(hosts: Hosts, folder: Path) -> None:
    _, _, new = hosts.names
    with crawling(folder) as process:
        tell(folder, AddSeeds([hosts.home(NEW).replace("http://", "http://user:secret@") + "a/1"]))
        await_(lambda: hosts.asked(new) > 0)
        tell(folder, Stop())
        await_(lambda: not process.is_running())
    assert {request.login for request in hosts.requests if request.host == new} == {"Basic dXNlcjpzZWNyZXQ="}
    assert not any(request.login for request in hosts.requests if request.host != new)
    assert b"secret" not in b"".join(path.read_bytes() for path in folder.glob("*.*") if path.is_file())
    lines = map(json.loads, (folder / "crawl.log").read_text().splitlines())
    assert {line.get("source") for line in lines if line["url"] == f"{hosts.home(NEW)}a/1"} == {f"{hosts.home(NEW)}a/1"}


def test_what_is_excluded_is_not_asked_for_any_more_although_it_is_queued(hosts: Hosts, folder: Path) -> None:
    one, other, _ = hosts.names
    with crawling(folder) as process:
        await_(lambda: hosts.asked(one) > 3)
        tell(folder, Exclude("/b/*"))
        tell(folder, SetDelay(one, 0.0))
        tell(folder, SetDelay(other, 0.0))
        await_(lambda: not process.is_running())
    assert hosts.asked(one, "/a/") == 200
    assert hosts.asked(one, "/b/") == hosts.asked(other, "/b/") == 0
    assert read_status(folder).exit == "done"  # type: ignore[union-attr]


def test_a_command_that_cannot_be_carried_out_changes_nothing_and_the_next_one_is_obeyed(
    hosts: Hosts, tmp_path: Path
) -> None:
    folder = tmp_path / "crawl"
    prepare_folder(folder, hosts.config(rules=("+*",)))
    with crawling(folder):
        put_unchecked(folder, Exclude("/x"))
        tell(folder, Pause())
        status_of(folder, lambda status: status.state is State.PAUSED)
        assert not list(waiting_commands(folder))
    assert load_config(folder).exclude == ()
    with crawling(folder):
        before = len(hosts.requests)
        tell(folder, Resume())
        await_(lambda: len(hosts.requests) > before)
    assert logged(folder) == ["paused", "resumed"]


def put_unchecked(folder: Path, command: Command) -> None:
    """As if it was put there before the crawl had the settings that it has now."""
    box = folder / "state" / "commands"
    box.mkdir(exist_ok=True)
    (box / "0.part").write_bytes(msgspec.json.encode(command))
    os.rename(box / "0.part", box / "0.json")


def test_stop_ends_the_run_in_order_and_is_forgotten_by_the_next_one(hosts: Hosts, folder: Path) -> None:
    with crawling(folder) as process:
        tell(folder, Stop())
        await_(lambda: not process.is_running())
    status = read_status(folder)
    assert status is not None
    assert (status.state, status.exit) == (State.ENDED, "interrupted")
    put_command(folder, Stop())  # meant for a run that had ended meanwhile
    before = len(hosts.requests)
    with crawling(folder):
        await_(lambda: len(hosts.requests) > before + 5)
        assert not list(waiting_commands(folder))


@pytest.mark.parametrize("point", ["command-applied", "command-logged"])
def test_a_command_in_whose_middle_the_crawl_is_killed_holds_and_is_logged_once(
    hosts: Hosts, folder: Path, point: str
) -> None:
    one, _, new = hosts.names
    environment = weft_environment() | {"WEFT_CRASH_AT": f"{point}:1"}
    process = start_weft("resume", str(folder), "--quiet", environment=environment)
    commands: list[Command] = [Block(one), AddSeeds([hosts.home(NEW)]), Exclude("/b/*"), SetRate(50.0)]
    await_(lambda: read_status(folder) is not None)
    for command in commands:
        put_command(folder, command)
    await_(lambda: process.poll() is not None)
    with crawling(folder):
        await_(lambda: not list(waiting_commands(folder)))
        await_(lambda: hosts.asked(new, "/a/") > 0)
    config = load_config(folder)
    assert (config.blocked_hosts, config.exclude, config.rate) == ((one,), ("/b/*",), 50.0)
    assert config.seeds[-1] == hosts.home(NEW)
    assert logged(folder) == [in_words(command) for command in commands]


def test_a_file_that_is_no_command_is_put_aside_and_the_next_one_is_obeyed(hosts: Hosts, folder: Path) -> None:
    with crawling(folder):
        tell(folder, Pause())
        box = folder / "state" / "commands"
        (box / "0.part").write_text("{")
        os.rename(box / "0.part", box / "0.json")
        tell(folder, Resume())
        await_(lambda: not list(waiting_commands(folder)))
    assert logged(folder) == ["paused", "resumed"]
