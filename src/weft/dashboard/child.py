"""The view beside a crawl: a process of its own, so that viewers cost the engine nothing.

weft crawl --dashboard ──start_child──▶ python -m weft.dashboard.child
                       ──order, listening socket──▶ serves, until the socket closes or the crawl's process is gone
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import msgspec

from weft.workers.process import begin_worker, end, start_child

MOST_ORDER_BYTES: Final = 64 << 10


class Order(msgspec.Struct, frozen=True):
    """What the child is to show."""

    folder: str
    token: str
    allowed_hosts: list[str] = []


@contextmanager
def serving_beside(listener: socket.socket, folder: Path, token: str) -> Iterator[None]:
    """Have a crawl shown as long as the block lasts, also by a process that starts slowly."""
    process, ours = start_child("weft.dashboard.child")
    with ours:
        order = msgspec.json.encode(Order(str(folder.absolute()), token))
        socket.send_fds(ours, [order], [listener.fileno()])
        listener.close()  # the child has it
        yield
    end(process)


def main() -> None:
    """In the child."""
    channel = begin_worker()
    data, fds, _, _ = socket.recv_fds(channel, MOST_ORDER_BYTES, 1)
    if not fds:  # the crawl ended before it began
        return
    order = msgspec.json.decode(data, type=Order)
    from weft.dashboard.server import serve
    from weft.dashboard.source import FolderSource

    async def until_closed() -> None:
        channel.setblocking(False)
        await asyncio.get_running_loop().sock_recv(channel, 1)

    serve(FolderSource(Path(order.folder)), socket.socket(fileno=fds[0]), order.token, until=until_closed)


if __name__ == "__main__":
    main()
