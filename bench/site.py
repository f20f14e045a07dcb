# mypy: disable-error-code="import-untyped"
"""The site that is crawled: Debian's documentation of Java, served by an nginx that lives as long as the bench."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

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
STATUS_TIMEOUT_S = 5.0

# Nothing is compressed or logged: the server should cost little, and the same for all.
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
    keepalive_timeout {keep_alive_s}s;
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
        listen {address}:{port}{ssl};
        root {site};
        index index.html;
    }}
    server {{
        listen unix:{folder}/status;
        stub_status;
    }}
}}
"""
# The protocols that browsers speak; of an older nginx TLS 1.3 has to be asked for.
SSL = """ ssl;
        ssl_protocols TLSv1.2 TLSv1.3;
        ssl_certificate {certificate};
        ssl_certificate_key {certificate}"""
KEEP_ALIVE_S = 300


class SiteError(Exception):
    """The site cannot be served; the message says what is missing."""


class Manner(NamedTuple):
    """How the site is served."""

    keep_alive: bool = True  # connections live on after a response
    certificate: Path | None = None  # with its key; given one, the site is served over https


HTTP_KEPT_ALIVE = Manner()


@dataclass(slots=True, frozen=True)
class Server:
    """The site on its address."""

    folder: Path
    origin: str
    process_id: int
    status_socket: Path

    @property
    def start_url(self) -> str:
        """Where a crawl begins."""
        return self.origin + START_PATH

    def cpu_s(self) -> float:
        """CPU seconds that nginx has used so far."""
        master = psutil.Process(self.process_id)
        times = [process.cpu_times() for process in (master, *master.children())]
        return float(sum(t.user + t.system for t in times))

    def connections(self) -> int:
        """Connections that nginx has accepted so far, those of this question included."""
        with socket.socket(socket.AF_UNIX) as asking:
            asking.settimeout(STATUS_TIMEOUT_S)
            asking.connect(str(self.status_socket))
            asking.sendall(b"GET / HTTP/1.0\r\n\r\n")
            answer = asking.makefile("rb").read()
        # Active connections: 1 / server accepts handled requests / 12 12 34 / …
        return int(answer.partition(b"requests\n")[2].split()[0])


def find_site() -> Path:
    """The folder of the pages."""
    for folder in FOLDERS:
        if (folder / START_PATH.lstrip("/")).is_file():
            return folder.resolve()
    raise SiteError("the pages of Debian's openjdk-17-doc are not installed: run bench/install-site")


@contextmanager
def served(site: Path, scratch: Path, manner: Manner = HTTP_KEPT_ALIVE) -> Iterator[Server]:
    """Serve the site as long as the context lasts; nginx keeps its files in `scratch`."""
    folder = Path(tempfile.mkdtemp(prefix="nginx-", dir=scratch))
    port = _free_port()
    config = folder / "nginx.conf"
    config.write_text(
        CONFIG.format(
            user=_user_line(),
            folder=folder,
            address=ADDRESS,
            port=port,
            ssl=SSL.format(certificate=manner.certificate) if manner.certificate else "",
            keep_alive_s=KEEP_ALIVE_S if manner.keep_alive else 0,
            site=site,
        )
    )
    process = subprocess.Popen(
        [_nginx(), "-p", str(folder), "-e", str(folder / "error.log"), "-c", str(config)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        preexec_fn=die_with_parent,
    )
    try:
        _await_start(process, port)
        scheme = "https" if manner.certificate else "http"
        yield Server(site, f"{scheme}://{ADDRESS}:{port}", process.pid, folder / "status")
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
