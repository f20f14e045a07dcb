# mypy: disable-error-code="import-untyped"
"""The site that is crawled: Debian's documentation of Java, served by an nginx that lives as long as the bench."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil

from bench.measure import die_with_parent

FOLDERS = (
    Path("/usr/share/doc/openjdk-17-jre-headless/api"),
    Path("/usr/share/doc/openjdk-17-doc/api"),
)
ADDRESS = "127.0.0.1"
START_PATH = "/index.html"
START_TIMEOUT_S = 10.0
STOP_TIMEOUT_S = 10.0

# Nothing is compressed or logged, and connections live on: the server should cost little, and the same for all.
CONFIG = """\
daemon off;
{user}
worker_processes 1;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{ worker_connections 1024; }}
http {{
    access_log off;
    sendfile on;
    gzip off;
    keepalive_timeout 300s;
    keepalive_requests 1000000;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    types {{
        text/html html;
        text/css css;
        application/javascript js;
        image/gif gif;
        image/jpeg jpg;
        image/png png;
        image/svg+xml svg;
    }}
    default_type application/octet-stream;
    server {{
        listen {address}:{port};
        root {site};
        index index.html;
    }}
}}
"""


class SiteError(Exception):
    """The site cannot be served; the message says what is missing."""


@dataclass(slots=True, frozen=True)
class Server:
    """The site on its address."""

    folder: Path
    origin: str
    process_id: int

    @property
    def start_url(self) -> str:
        """Where a crawl begins."""
        return self.origin + START_PATH

    def cpu_s(self) -> float:
        """CPU seconds that nginx has used so far."""
        master = psutil.Process(self.process_id)
        times = [process.cpu_times() for process in (master, *master.children())]
        return float(sum(t.user + t.system for t in times))


def find_site() -> Path:
    """The folder of the pages."""
    for folder in FOLDERS:
        if (folder / START_PATH.lstrip("/")).is_file():
            return folder.resolve()
    raise SiteError("the pages of Debian's openjdk-17-doc are not installed: run bench/install-site")


@contextmanager
def served(site: Path, scratch: Path) -> Iterator[Server]:
    """Serve the site as long as the context lasts; nginx keeps its files in `scratch`."""
    folder = scratch / "nginx"
    folder.mkdir()
    port = _free_port()
    config = folder / "nginx.conf"
    config.write_text(CONFIG.format(user=_user_line(), folder=folder, address=ADDRESS, port=port, site=site))
    process = subprocess.Popen(
        [_nginx(), "-p", str(folder), "-e", str(folder / "error.log"), "-c", str(config)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        preexec_fn=die_with_parent,
    )
    try:
        _await_start(process, port)
        yield Server(site, f"http://{ADDRESS}:{port}", process.pid)
    finally:
        process.terminate()
        try:
            process.wait(STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _nginx() -> str:
    found = shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")
    if found is None:
        raise SiteError("nginx is not installed: run bench/install-site")
    return found


def _user_line() -> str:
    """Started by root, nginx would become another user, who may not enter our temporary folder."""
    return "user root;" if os.geteuid() == 0 else ""


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((ADDRESS, 0))
        return int(probe.getsockname()[1])


def _await_start(process: subprocess.Popen[bytes], port: int) -> None:
    deadline = time.monotonic() + START_TIMEOUT_S
    while process.poll() is None and time.monotonic() < deadline:
        try:
            socket.create_connection((ADDRESS, port), timeout=1).close()
        except OSError:
            time.sleep(0.02)
        else:
            return
    raise SiteError(f"nginx does not serve on port {port}")
