"""A dashboard that runs in this process, on a thread of its own."""

from __future__ import annotations

import asyncio
import http.client
import json
import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from weft.config import CrawlConfig
from weft.dashboard.server import serve
from weft.dashboard.source import FolderSource, Source
from weft.folder.layout import CrawlFolder
from weft.listening import link_of, listen
from weft.live.status import Moment, Status

TOKEN = "a-token-for-these-tests"
WITHIN_S = 60.0


class Served(NamedTuple):
    """Where it is."""

    url: str
    port: int

    @property
    def link(self) -> str:
        """With the token."""
        return f"{self.url}#token={TOKEN}"

    def ask(
        self, path: str, method: str = "GET", body: bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> tuple[int, dict[str, str], bytes]:
        """Status, headers in small letters, and body."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=WITHIN_S)
        try:
            connection.request(method, path, body, dict(headers or {}))
            answer = connection.getresponse()
            return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()
        finally:
            connection.close()

    def tell(self, command: Any, **headers: str) -> tuple[int, dict[str, Any]]:
        """Post a command with the right token, unless another one is given."""
        given = {"Authorization": f"Bearer {TOKEN}"} | headers
        status, _, body = self.ask("/commands", "POST", json.dumps(command).encode(), given)
        answer = json.loads(body)
        assert isinstance(answer, dict)
        return status, answer


@contextmanager
def serving(source: Source, *, address: str = "127.0.0.1") -> Iterator[Served]:
    """As long as the block lasts."""
    listener = listen(address, 0, "")
    served = Served(link_of(listener), listener.getsockname()[1])
    ours, theirs = socket.socketpair()
    theirs.setblocking(False)

    async def until() -> None:
        await asyncio.get_running_loop().sock_recv(theirs, 1)

    thread = threading.Thread(target=serve, args=(source, listener, TOKEN), kwargs={"until": until})
    thread.start()
    try:
        yield served
    finally:
        ours.close()
        thread.join(WITHIN_S)
        theirs.close()
        assert not thread.is_alive()


def make_crawl(path: Path) -> Path:
    """A folder that holds a crawl, on which nobody works."""
    folder = CrawlFolder(path, must_exist=False)
    folder.save_config(CrawlConfig(seeds=("http://host0.test/",)))
    folder.close()
    return path


def write_status(folder: Path, status: Status) -> None:
    temporary = folder / "report.json.part"
    temporary.write_bytes(msgspec.json.encode(status))
    temporary.replace(folder / "report.json")


def write_history(folder: Path, moments: list[Moment]) -> None:
    lines = b"".join(msgspec.json.encode(moment) + b"\n" for moment in moments)
    (folder / "state" / "history.jsonl").write_bytes(lines)


def source_of(folder: Path) -> FolderSource:
    return FolderSource(folder)
