# mypy: disable-error-code="import-untyped"
"""The server of the bench: an nginx that lives as long as a corpus is crawled, and writes down what was asked of it.

One nginx serves all hosts of a corpus, each an address of this machine. It is a C program that sends files, so that it
takes little of the cores that the tools need; where responses must wait, its Lua module lets them wait (`weather.lua`).
Its access log is the only witness: what a tool fetched, missed or fetched twice is told from it, for all tools alike;
and a second one tells how long each request took, so how many were under way at once.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

import msgspec
import psutil

from bench.measure import die_with_parent
from bench.pages import ROBOTS_TXT

START_TIMEOUT_S = 10.0
STOP_TIMEOUT_S = 10.0
STATUS_TIMEOUT_S = 5.0
LOG_FLUSH_S = 0.1
LEFT_BEHIND_S = 10.0  # responses that still waited when their guest was stopped
KEEP_ALIVE_S = 300
LUA_MODULES = ("ndk_http_module.so", "ngx_http_lua_module.so")  # the second needs the first
MODULE_FOLDERS = (Path("/usr/lib/nginx/modules"), Path("/usr/share/nginx/modules"))
WEATHER = Path(__file__).parent / "weather.lua"

# Nothing is compressed: the server should cost little, and the same for all.
CONFIG = """\
daemon off;
{user}
{modules}
worker_processes 1;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{ worker_connections 8192; }}
worker_rlimit_nofile 16000;
http {{
    log_format asked '$request_method $status $server_addr $request_uri';
    access_log {folder}/access.log asked buffer=256k flush={log_flush_ms}ms;
    log_format times '$msec $request_time';
    access_log {folder}/times.log times buffer=256k flush={log_flush_ms}ms;
    sendfile on;
    tcp_nopush on;
    gzip off;
    open_file_cache max=12000 inactive=10m;
    open_file_cache_valid 10m;
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
    {shared}
    server {{
        {listen}
        {tls}
        root {root};
        index index.html;
        {headers}
        {weather}
        location = /robots.txt {{ default_type text/plain; alias {folder}/robots.txt; }}
    }}
    server {{
        listen unix:{folder}/status;
        access_log off;
        location = /status {{ stub_status; }}
        {forget}
    }}
}}
"""
# The protocols that browsers speak; of an older nginx TLS 1.3 has to be asked for.
TLS = """ssl_protocols TLSv1.2 TLSv1.3;
        ssl_certificate {certificate};
        ssl_certificate_key {certificate};"""

FORGET = """location = /forget { content_by_lua_block { ngx.shared.asked:flush_all() ngx.say('forgotten') } }
        location = /slower { content_by_lua_block {
            ngx.shared.asked:set('slower', tonumber(ngx.var.arg_times)) ngx.say('slower')
        } }"""


class ServerError(Exception):
    """The corpus cannot be served; the message says what is missing."""


class Weather(msgspec.Struct, frozen=True):
    """What happens to responses on their way; shares are in a thousand. `weather.lua` says what each one means."""

    latency_ms: int
    latency_max_ms: int
    gone_share: int = 0
    cut_share: int = 0
    slow_share: int = 0


class Manner(msgspec.Struct, frozen=True):
    """How a corpus is served."""

    keep_alive: bool = True  # connections live on after a response
    certificate: Path | None = None  # with its key; given one, the corpus is served over https
    weather: Weather | None = None
    robots_txt: str = ROBOTS_TXT
    headers: tuple[str, ...] = ()  # that each answer has, with the value "yes"


class AtOnce(NamedTuple):
    """Requests under way at the same time, from the first to the last of a run."""

    most: int
    average: float


def at_once(requests: Sequence[tuple[float, float]]) -> AtOnce:
    """Of requests by their beginning and end; one that begins as another ends comes after it."""
    if not requests:
        return AtOnce(0, 0.0)
    changes = sorted([(begin, 1) for begin, _ in requests] + [(end, -1) for _, end in requests])
    lasted_s = changes[-1][0] - changes[0][0]
    average = sum(end - begin for begin, end in requests) / lasted_s if lasted_s else 0.0
    return AtOnce(max(accumulate(change for _, change in changes)), average)


class Server(msgspec.Struct, frozen=True):
    """The running nginx."""

    process_id: int
    folder: Path

    def cpu_s(self) -> float:
        """CPU seconds that nginx has used so far."""
        master = psutil.Process(self.process_id)
        times = [process.cpu_times() for process in (master, *master.children())]
        return float(sum(t.user + t.system for t in times))

    def counts(self) -> tuple[int, int]:
        """Connections that nginx has accepted, and requests that it has answered, those of these questions included."""
        # Active connections: 1 / server accepts handled requests / 12 12 34 / …
        accepted, _, requests = self._ask("/status").partition("requests\n")[2].split()[:3]
        return int(accepted), int(requests)

    def connections_now(self) -> int:
        """Connections that are open at this moment, but for that of this question."""
        # Active connections: 3 / …
        return int(self._ask("/status").partition("Active connections:")[2].split()[0]) - 1

    def begin_anew(self) -> int:
        """Forget the guest before: wait for what it left behind, and which pages it asked for. Gives the log's end."""
        deadline = time.monotonic() + LEFT_BEHIND_S
        while self.connections_now() > 0 and time.monotonic() < deadline:
            time.sleep(LOG_FLUSH_S)
        self._ask("/forget")
        time.sleep(2 * LOG_FLUSH_S)
        return (self.folder / "access.log").stat().st_size

    def at_once(self, since: float) -> AtOnce:
        """How many requests were under way at once, of those that ended since this time."""
        time.sleep(2 * LOG_FLUSH_S)
        lines = (line.split() for line in (self.folder / "times.log").read_text().splitlines())
        ended = ((float(end), float(took)) for end, took in lines)
        return at_once([(end - took, end) for end, took in ended if end >= since])

    def be_slower(self, times: float) -> None:
        """From now on responses wait so many times as long as they would: only where there is weather."""
        self._ask(f"/slower?times={times}")

    def log_since(self, start: int) -> list[str]:
        """The lines from there on: METHOD STATUS ADDRESS URI."""
        time.sleep(2 * LOG_FLUSH_S)
        with (self.folder / "access.log").open("rb") as log:
            log.seek(start)
            return log.read().decode("latin-1").splitlines()

    def _ask(self, path: str) -> str:
        with socket.socket(socket.AF_UNIX) as asking:
            asking.settimeout(STATUS_TIMEOUT_S)
            asking.connect(str(self.folder / "status"))
            asking.sendall(f"GET {path} HTTP/1.0\r\n\r\n".encode())
            return asking.makefile("rb").read().decode()


@contextmanager
def served(root: str, addresses: list[str], port: int, scratch: Path, manner: Manner) -> Iterator[Server]:
    """Serve files as long as the context lasts: `root` is a folder, in which $server_addr stands for the address."""
    folder = Path(tempfile.mkdtemp(prefix="nginx-", dir=scratch))
    (folder / "robots.txt").write_text(manner.robots_txt)
    config = folder / "nginx.conf"
    config.write_text(nginx_config(root, addresses, port, folder, manner))
    process = subprocess.Popen(
        [_nginx(), "-p", str(folder), "-e", str(folder / "error.log"), "-c", str(config)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        preexec_fn=die_with_parent,
    )
    try:
        _await_start(process, addresses[-1], port, folder)
        yield Server(process.pid, folder)
    finally:
        process.terminate()
        try:
            process.wait(STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def nginx_config(root: str, addresses: list[str], port: int, folder: Path, manner: Manner) -> str:
    """The whole configuration."""
    tls = " ssl" if manner.certificate else ""
    return CONFIG.format(
        user="user root;" if os.geteuid() == 0 else "",  # another user may not enter our temporary folder
        modules="\n".join(f"load_module {module};" for module in _lua_modules()) if manner.weather else "",
        folder=folder,
        log_flush_ms=int(1000 * LOG_FLUSH_S),
        keep_alive_s=KEEP_ALIVE_S if manner.keep_alive else 0,
        shared="lua_shared_dict asked 8m;\n    lua_load_resty_core on;" if manner.weather else "",
        listen="\n        ".join(f"listen {address}:{port}{tls} backlog=4096;" for address in addresses),
        tls=TLS.format(certificate=manner.certificate) if manner.certificate else "",
        root=root,
        headers=" ".join(f"add_header {name} yes always;" for name in manner.headers),
        forget=FORGET if manner.weather else "location = /forget { return 200; }",
        weather=_weather_lines(manner.weather) if manner.weather else "",
    )


def free_port() -> int:
    """A port that nobody serves on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _weather_lines(weather: Weather) -> str:
    values = "".join(f"set ${name} {value};\n        " for name, value in msgspec.structs.asdict(weather).items())
    return f"{values}access_by_lua_file {WEATHER};"


def _lua_modules() -> list[Path]:
    for folder in MODULE_FOLDERS:
        modules = [folder / name for name in LUA_MODULES]
        if all(module.is_file() for module in modules):
            return modules
    raise ServerError("nginx's Lua module is not installed: run bench/install-site")


def _nginx() -> str:
    found = shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")
    if found is None:
        raise ServerError("nginx is not installed: run bench/install-site")
    return found


def _await_start(process: subprocess.Popen[bytes], address: str, port: int, folder: Path) -> None:
    deadline = time.monotonic() + START_TIMEOUT_S
    while process.poll() is None and time.monotonic() < deadline:
        try:
            socket.create_connection((address, port), timeout=1).close()
        except OSError:
            time.sleep(0.02)
        else:
            return
    log = folder / "error.log"
    told = log.read_text()[-500:] if log.exists() else ""
    raise ServerError(f"nginx does not serve on port {port}: {told}")
