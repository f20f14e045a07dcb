"""The web in a process of its own, so that it does not share a core with the crawler.

    parent                                   python -m weft.simweb --job -
    one line of JSON (Job)      ──stdin──▶
                               ◀─stdout──    one line of JSON (Ready)
    …the crawl…
    end of file                 ──stdin──▶   writes the request log
                               ◀─stdout──    one line of JSON (Summary)

The end of file also comes when the parent dies, however it dies; so the process never outlives it.
"""

from __future__ import annotations

import selectors
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, Any, ClassVar, Protocol, Self

import msgspec

from weft.simweb.behaviour import Behaviour, TlsFault
from weft.simweb.dnsserver import DnsSpec
from weft.simweb.hosts import IPV6_ADDRESS
from weft.simweb.model import SimWeb
from weft.simweb.requestlog import RequestLog, read_log
from weft.simweb.spec import WebSpec

_START_TIMEOUT_S = 60
_STOP_TIMEOUT_S = 60


class CustomEntry(msgspec.Struct, frozen=True):
    """One behaviour that a test adds."""

    host: str
    path: str
    behaviour: Behaviour


class Job(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the process shall serve."""

    spec: WebSpec = WebSpec()
    dns: DnsSpec = DnsSpec()
    custom: tuple[CustomEntry, ...] = ()
    tls_faults: dict[str, TlsFault] = {}
    https: bool | None = None  # by default, if the web has hosts there
    http_port: int = 0
    https_port: int = 0
    dns_port: int = 0
    ca_file: str | None = None  # where to write what a client has to trust
    log: str | None = None  # file for the requests; without one they are only counted

    def web(self) -> SimWeb:
        """The web to serve."""
        custom = {(entry.host, entry.path): entry.behaviour for entry in self.custom}
        return SimWeb(self.spec, custom, tls_faults=self.tls_faults)

    def ipv6(self) -> bool:
        """Whether some name leads to the IPv6 loopback address."""
        by_hand = {address for answers in self.dns.answers.values() for answer in answers for address in answer}
        return self.spec.ipv6_share > 0 or IPV6_ADDRESS in by_hand


class Ready(msgspec.Struct, frozen=True):
    """Where the process serves."""

    http_port: int
    https_port: int | None  # None when it serves no https
    ca_file: str | None
    dns_port: int
    dns: str
    seeds: list[str]


class Summary(msgspec.Struct, frozen=True):
    """What the process did."""

    connections: int
    requests: dict[str, int]  # by status or fault
    dns_queries: dict[str, int]  # by name


class Started(Protocol):
    """What is needed of a process that was started: as `subprocess.Popen` has it."""

    pid: int
    returncode: int | Any

    @property
    def stdin(self) -> IO[bytes] | None:
        """The job goes there; its end ends the process."""

    @property
    def stdout(self) -> IO[bytes] | None:
        """It says when it is ready, and what was asked."""

    def communicate(self, *, timeout: float) -> tuple[bytes, Any]:
        """End its input, and read what it still says."""

    def kill(self) -> None:
        """End it now."""

    def wait(self) -> int:
        """The exit code."""


def started() -> Started:
    """`python -m weft.simweb`, which waits for its job."""
    return subprocess.Popen(
        [sys.executable, "-m", "weft.simweb", "--job", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        process_group=0,  # Ctrl-C is for the crawl, which goes on asking until it has ended
    )


class SimProcess:
    """Serves a web as long as the `with` lasts; then `log`, `totals` and `dns_queries` say what was asked.

    Over https, if there is need for it or it is asked for, `ca_file` is what a client has to trust.
    """

    started: ClassVar[Callable[[], Started]] = staticmethod(started)  # who needs hundreds has a quicker way

    def __init__(
        self,
        spec: WebSpec,
        custom: Mapping[tuple[str, str], Behaviour] | None = None,
        dns: DnsSpec | None = None,
        *,
        tls_faults: Mapping[str, TlsFault] | None = None,
        https: bool | None = None,
        counting_only: bool = False,
    ) -> None:
        self.log = RequestLog()
        self.totals: Counter[str] = Counter()
        self.dns_queries: Counter[str] = Counter()
        self.connections_accepted = 0
        self._counting_only = counting_only
        entries = tuple(CustomEntry(host, path, what) for (host, path), what in (custom or {}).items())
        self._job = Job(spec=spec, custom=entries, dns=dns or DnsSpec(), tls_faults=dict(tls_faults or {}), https=https)

    def __enter__(self) -> Self:
        self._folder = tempfile.TemporaryDirectory(prefix="simweb-")
        self._log_path = Path(self._folder.name) / "requests.jsonl"
        self._process = type(self).started()
        try:
            ready = self._start()
        except BaseException:
            self._kill()
            raise
        self.pid = self._process.pid
        self.http_port = ready.http_port
        self.https_port = ready.https_port
        self.ca_file = Path(ready.ca_file) if ready.ca_file else None
        self.dns_port = ready.dns_port
        self.dns = ready.dns
        self.seeds = ready.seeds
        self.web = self._job.web().at(ready.http_port, ready.https_port or 443)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            out, _ = self._process.communicate(timeout=_STOP_TIMEOUT_S)
            if self._process.returncode:
                raise RuntimeError(f"simweb ended with {self._process.returncode}")
            summary = msgspec.json.decode(out, type=Summary)
            self.connections_accepted = summary.connections
            self.totals.update(summary.requests)
            self.dns_queries.update(summary.dns_queries)
            if not self._counting_only:
                self.log = read_log(self._log_path)
        finally:
            self._kill()

    def _start(self) -> Ready:
        assert self._process.stdin
        assert self._process.stdout
        log = None if self._counting_only else str(self._log_path)
        job = msgspec.structs.replace(self._job, log=log, ca_file=str(Path(self._folder.name) / "ca.pem"))
        self._process.stdin.write(msgspec.json.encode(job) + b"\n")
        self._process.stdin.flush()
        with selectors.DefaultSelector() as selector:
            selector.register(self._process.stdout, selectors.EVENT_READ)
            line = self._process.stdout.readline() if selector.select(_START_TIMEOUT_S) else b""
        if not line:
            raise RuntimeError("simweb did not start; its reason is on stderr")
        return msgspec.json.decode(line, type=Ready)

    def _kill(self) -> None:
        """End the process, if it still runs, and leave nothing open behind."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe:
                pipe.close()
        self._folder.cleanup()
