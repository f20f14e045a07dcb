"""What waits, best first, by the graph as it is: a process of its own beside a crawl.

    python -m weft.graph.ranker DATABASE KIND

It opens the database read-only and writes for each URL that waits (family `place`) 24 bytes to standard output: the
URL id and its score, a float64, little-endian. Of `hits` it is the authority: what waits has no known links, so it is
no hub yet. What no page links to, as a seed, has the score 0. Whoever has read enough closes the pipe; this process
ends then, whatever it is doing. Memory: that of `links`, and 60 bytes a URL that waits.
"""

from __future__ import annotations

import os
import select
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Final

from weft.errors import WeftError
from weft.graph.arrays import refuse_without_arrays
from weft.graph.kinds import Kind, kind_named
from weft.state import State
from weft.url import ID_BYTES

FRAME_BYTES: Final = ID_BYTES + 8
FRAMES_AT_ONCE: Final = 10_000


def main() -> int:
    """Run the process; what went wrong is one sentence on standard error."""
    _, database, kind = sys.argv
    threading.Thread(target=_end_with_the_reader, args=(sys.stdout.fileno(),), daemon=True).start()
    try:
        refuse_without_arrays()
        write_ranks(Path(database), kind_named(kind), sys.stdout.buffer)
    except BrokenPipeError:
        _end_at_once()
    except WeftError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def write_ranks(database: Path, kind: Kind, out: BinaryIO) -> None:
    """A frame for each URL that waits."""
    state = State(database, is_read_only=True)
    try:
        for frames in _frames(state, kind):
            out.write(frames)
        out.flush()
    finally:
        state.close()


def _frames(state: State, kind: Kind) -> Iterator[bytes]:
    import numpy as np

    from weft.graph.links import numbers_of, read_links
    from weft.graph.ranks import ranks

    links = read_links(state.scan("graph"))
    scores = next(iter(ranks(kind, links, state.scan("page")).values()))
    waiting = b"".join(key for key, _ in state.scan("place"))
    ids = np.frombuffer(waiting, f"V{ID_BYTES}")
    numbers, are_there = numbers_of(np.frombuffer(waiting, ">u8")[::2].astype(np.uint64), links.nodes)
    del links
    of_waiting = np.zeros(len(ids))
    of_waiting[are_there] = scores[numbers[are_there]]
    order = np.argsort(-of_waiting, kind="stable")
    for at in range(0, len(order), FRAMES_AT_ONCE):
        some = order[at : at + FRAMES_AT_ONCE]
        frames = np.empty(len(some), [("id", f"V{ID_BYTES}"), ("score", "<f8")])
        frames["id"], frames["score"] = ids[some], of_waiting[some]
        yield frames.tobytes()


def _end_with_the_reader(fd: int) -> None:
    """A reader that has gone is noticed while nothing is written, too."""
    closed = select.poll()
    closed.register(fd, 0)  # errors are always told
    closed.poll()
    _end_at_once()


def _end_at_once() -> None:
    # Nothing is written but the pipe. An exit would flush what nobody reads.
    os._exit(0)


if __name__ == "__main__":
    sys.exit(main())
