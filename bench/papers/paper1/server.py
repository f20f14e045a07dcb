"""The servers of paper 1: pages come in pieces, and some connections stay open when a page is whole.

    python -m bench.papers.paper1.server      prints its port; ends with its input

A request says what it wants: `GET /BYTES/MICROSECONDS/keep/NUMBER`, or `close`. No length is told: the end is that of
the document, or of the connection. A thread a connection: its sleeps are exact to a tenth of a millisecond, timers of
an event loop only to one.
"""

from __future__ import annotations

import random
import socket
import socketserver
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from bench.measure import die_with_parent

PIECE_BYTES = 16_384
LINKS = 10  # of a page
HOSTS = 50
HEAD = b"HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n"
END = b"</html>"
ADDRESS = "127.0.0.1"
LEFT_OPEN_S = 30.0


def page_of(number: int, size: int) -> bytes:
    """A document of this size: links to other pages, then filling, then its end."""
    links = b"".join(
        b'<a href="http://h%d/p%d">next</a>\n' % (other % HOSTS, other)
        for other in (number * LINKS + place for place in range(1, LINKS + 1))
    )
    return (b"<html>\n" + links).ljust(size - len(END), b".") + END


def moments(number: int, pieces: int, seconds: float) -> list[float]:
    """When each piece is sent: uneven, but the last one always at the end."""
    chance = random.Random(number)
    gaps = [chance.uniform(0.5, 1.5) for _ in range(pieces)]
    passed, found = 0.0, []
    for gap in gaps:
        passed += gap
        found.append(seconds * passed / sum(gaps))
    return found


class Answering(socketserver.BaseRequestHandler):
    """One connection, one page."""

    def handle(self) -> None:
        """Send it in its time; then wait for the guest to close, or close."""
        connection: socket.socket = self.request
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        began = time.perf_counter()
        asked = connection.recv(1000).split(b" ")
        if len(asked) < 2:
            return
        size, micros, manner, number = asked[1].strip(b"/").split(b"/")
        body = HEAD + page_of(int(number), int(size))
        pieces = [body[at : at + PIECE_BYTES] for at in range(0, len(body), PIECE_BYTES)]
        try:
            for piece, at in zip(pieces, moments(int(number), len(pieces), int(micros) / 1e6), strict=True):
                time.sleep(max(0.0, began + at - time.perf_counter()))
                connection.sendall(piece)
            if manner == b"keep":
                connection.settimeout(LEFT_OPEN_S)
                connection.recv(1)
        except OSError:  # the guest has left
            return


class Serving(socketserver.ThreadingTCPServer):
    """Threads end with the process."""

    daemon_threads = True
    request_queue_size = 512


@contextmanager
def served() -> Iterator[int]:
    """The server in a process of its own; its port."""
    process = subprocess.Popen(
        [sys.executable, "-m", __name__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, preexec_fn=die_with_parent
    )
    assert process.stdin
    assert process.stdout
    try:
        yield int(process.stdout.readline())
    finally:
        process.stdin.close()
        process.wait(10)
        process.stdout.close()


def main() -> None:
    """Serve until the input ends."""
    with Serving((ADDRESS, 0), Answering) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        print(server.server_address[1], flush=True)
        sys.stdin.read()
        server.shutdown()


if __name__ == "__main__":
    main()
