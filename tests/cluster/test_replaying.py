"""A replay reads all that was acknowledged, also from a server that is behind the others."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any, cast

import nats.js.errors
import pytest
from nats.aio.client import Client

from weft.cluster.log import NatsLog

LINKS, OTHERS, CLAIM = "f.4", "f.8", "d.4"


class BehindServers:
    """Streams of three servers: the leader has all events, while a consumer's server has at first a few of them."""

    def __init__(self, subjects: list[str], behind: int) -> None:
        self.max_payload = 1 << 20
        self.is_closed = False
        self._events = [(place, f"w.crawl.0.{subject}") for place, subject in enumerate(subjects, 1)]
        self._behind = behind
        self.consumers = 0

    def jetstream(self, timeout: float) -> BehindServers:
        return self

    async def add_consumer(self, stream: str, config: Any) -> Any:
        self.consumers += 1
        here = self._events if self.consumers > 2 else self._events[: self._behind]
        begin = min(config.opt_start_seq, len(here) + 1)  # as the server does
        self._waiting = [(place, subject) for place, subject in here[begin - 1 :] if subject in config.filter_subjects]
        return SimpleNamespace(name="reader", num_pending=len(self._waiting))

    async def pull_subscribe_bind(self, consumer: str, stream: str) -> Any:
        return self

    async def fetch(self, most: int, **_: float) -> list[Any]:
        if not self._waiting:
            raise TimeoutError
        waiting, self._waiting = self._waiting, []
        return [
            SimpleNamespace(
                subject=subject,
                data=b"",
                headers=None,
                metadata=SimpleNamespace(
                    sequence=SimpleNamespace(consumer=number, stream=place), num_pending=len(waiting) - number
                ),
            )
            for number, (place, subject) in enumerate(waiting, 1)
        ]

    async def get_msg(self, stream: str, seq: int) -> Any:
        if seq > len(self._events):
            raise nats.js.errors.NotFoundError
        return SimpleNamespace(subject=self._events[seq - 1][1])

    async def unsubscribe(self) -> None:
        pass

    async def publish(self, subject: str) -> None:
        pass


@pytest.mark.parametrize("behind", range(7))
@pytest.mark.parametrize("last", [CLAIM, OTHERS, LINKS])
def test_a_replay_from_a_server_that_is_behind_has_all_events_each_once(
    behind: int, last: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("weft.cluster.log.PAUSE_S", 0.0)
    servers = BehindServers([LINKS, LINKS, OTHERS, LINKS, LINKS, last, LINKS], behind)
    log = NatsLog(cast("Client", servers), "crawl")

    async def read() -> list[tuple[int, str]]:
        return [(one.place, one.subject) async for part in log.replay(0, [LINKS], 0, 6) for one in part]

    wanted = [1, 2, 4, 5, *([6] if last == LINKS else [])]
    assert asyncio.run(read()) == [(place, LINKS) for place in wanted]


def test_a_reader_that_goes_on_at_a_server_that_is_behind_reads_nothing_twice() -> None:
    servers = BehindServers([LINKS] * 4, behind=2)
    log = NatsLog(cast("Client", servers), "crawl")

    async def read() -> list[int]:
        reader = log.read(0, [LINKS], 3)  # what another server had told
        assert await reader.next() == []
        await reader.close()
        await reader.next()
        await reader.close()
        return [one.place for one in await reader.next()]

    assert asyncio.run(read()) == [4]
    assert servers.consumers == 3
