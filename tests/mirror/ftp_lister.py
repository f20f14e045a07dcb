"""An FTP server in which LIST and LIST -a list what a test says; every file has its own name for content."""

from __future__ import annotations

import socket
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from .site_server import OWN


class _Talk(socketserver.StreamRequestHandler):
    plain: tuple[str, ...]
    with_a: tuple[str, ...]

    def handle(self) -> None:
        self._say("220 Hello")
        while line := self.rfile.readline().decode().strip():
            verb, _, rest = line.partition(" ")
            name = rest.rpartition("/")[2]
            if verb == "EPSV":
                self._data = socket.create_server((OWN, 0))
                self._say(f"229 (|||{self._data.getsockname()[1]}|)")
            elif verb == "LIST":
                names = self.with_a if rest == "-a" else self.plain
                self._send("".join(f"-rw-r--r-- 1 me us {len(one)} Nov 15 14:58 {one}\r\n" for one in names))
            elif verb == "RETR":
                self._send(name)
            elif verb == "SIZE":
                self._say(f"213 {len(name)}" if name in {*self.plain, *self.with_a} else "550 No such file")
            else:
                self._say(
                    {"USER": "230 Come in", "PWD": '257 "/"', "TYPE": "200 Fine", "CWD": "250 Fine"}.get(
                        verb, "500 What?"
                    )
                )

    def _say(self, reply: str) -> None:
        self.wfile.write(f"{reply}\r\n".encode())

    def _send(self, text: str) -> None:
        self._say("150 Here it comes")
        connection, _ = self._data.accept()
        self._data.close()
        with connection:
            connection.sendall(text.encode())
        self._say("226 That was it")


class _Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True


@contextmanager
def listing(plain: tuple[str, ...], with_a: tuple[str, ...]) -> Iterator[int]:
    """Serve as long as the block lasts. Gives the port."""
    with _Server((OWN, 0), type("Talk", (_Talk,), {"plain": plain, "with_a": with_a})) as server:
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        yield server.server_address[1]
        server.shutdown()
