"""How much CPU time `weft get` takes for a page on this machine: the whole process, user and system.

    python -m bench.get_cpu [runs]

It serves one page of a few kilobytes with a robots.txt on loopback, and prints a line a run, then the worst.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

RUNS = 10
TARGET_S = 0.5

_PARAGRAPHS = "".join(f"<h2>Part {n}</h2><p>Some words, and <a href='/page{n}'>a link</a>.</p>" for n in range(100))
PAGE = f"<!DOCTYPE html><html lang=en><title>A page</title><body><h1>A page</h1>{_PARAGRAPHS}".encode()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        is_robots = self.path == "/robots.txt"
        body = b"User-agent: *\nDisallow: /private/\n" if is_robots else PAGE
        self.send_response(200)
        self.send_header("Content-Type", "text/plain" if is_robots else "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        """Say nothing."""


def cpu_s(url: str) -> float:
    """Of one process, from its start to its end."""
    command = [sys.executable, "-m", "weft", "get", url, "--allow-private"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    assert process.stdout is not None
    first_words = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, process.returncode
    assert first_words.startswith(b"# A page"), first_words[:100]
    return usage.ru_utime + usage.ru_stime


def main() -> None:
    """Measure and print."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else RUNS
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}/"
    times = []
    for number in range(1, runs + 1):
        times.append(cpu_s(url))
        print(f"run {number:2}  {times[-1]:.3f} s")
    print(f"worst   {max(times):.3f} s, best {min(times):.3f} s; the target is {TARGET_S} s")
    server.shutdown()


if __name__ == "__main__":
    main()
