"""The drafter: `python -m weft.mirror.site.drafter SOCKET PARENT_PID`.

While the crawl goes on it makes files of what is committed (`drafts`). It has only the time of the cores that nobody
else wants, so a crawl that needs them all is as fast as without it. What goes wrong here goes wrong for nobody.
"""

from __future__ import annotations

import os
import select
import time
from contextlib import suppress
from pathlib import Path
from socket import socket
from subprocess import DEVNULL

from weft.workers.process import begin_worker, start_child

LEAST = 19  # of all niceness
FIRST_AFTER_S = 1.0  # what is over by then needs no drafts
PAUSE_S = 0.5
# How long a pause is at least, by how long looking for new pages took, and by how long the crawl has gone on. Each look
# goes through all pages: in a crawl of hours it is seldom worth it, and only the last fiftieth is left for the end.
PAUSE_OF_LOOKING = 5.0
PAUSE_OF_CRAWL = 0.02


class Drafter:
    """The process, seen from the crawl. It ends when nobody needs more drafts."""

    def __init__(self, root: Path) -> None:
        self._process, self._connection = start_child("weft.mirror.site.drafter", DEVNULL)
        with suppress(BrokenPipeError):  # it has ended already
            self._connection.sendall(os.fsencode(root))

    def stop(self) -> None:
        """No more drafts. Nobody waits: on a busy machine it may take a while to hear of it."""
        self._process.kill()  # a draft that is not whole has another name

    def close(self) -> None:
        """See it end."""
        self.stop()
        self._process.wait()
        self._connection.close()


def main() -> None:
    """Make drafts until the other side goes."""
    began = time.monotonic()
    connection = begin_worker()
    os.nice(LEAST)
    root = Path(os.fsdecode(connection.recv(65536)))
    pause_s = FIRST_AFTER_S
    while not _is_over(connection, pause_s):
        from weft.mirror.site.drafting import draft_all  # not before: a small mirror ends sooner

        looking_s = draft_all(root)
        if looking_s is None:
            return
        pause_s = pause_after(looking_s, time.monotonic() - began)


def pause_after(looking_s: float, crawling_s: float) -> float:
    """The time until the next look for new pages."""
    return max(PAUSE_S, PAUSE_OF_LOOKING * looking_s, PAUSE_OF_CRAWL * crawling_s)


def _is_over(connection: socket, within_s: float) -> bool:
    return bool(select.select([connection], [], [], within_s)[0])


if __name__ == "__main__":
    main()
