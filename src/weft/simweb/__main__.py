"""`python -m weft.simweb`: serve a synthetic web until SIGTERM, SIGINT or the end of standard input.

One line of JSON on stdout says that it is ready and where, another at the end what was asked.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import resource
import signal
import sys
import threading
from pathlib import Path

import msgspec
import uvloop

from weft.errors import BadInput
from weft.simweb.dnsserver import DnsSpec, SimDns
from weft.simweb.process import Job, Ready, Summary
from weft.simweb.requestlog import write_log
from weft.simweb.server import SimServer
from weft.simweb.spec import WebSpec

_STDIN = 0
_STDOUT = 1


def main() -> int:
    """Read the arguments, serve, exit 0."""
    arguments = _parser().parse_args()
    try:
        job = _read_job(arguments.job) if arguments.job else _job_from_flags(arguments)
    except (BadInput, msgspec.ValidationError) as error:
        return _complain(error)
    _allow_many_connections()
    try:
        uvloop.run(_serve(job))
    except BadInput as error:  # https without trustme
        return _complain(error)
    return 0


def _complain(error: Exception) -> int:
    print(f"simweb: {error}", file=sys.stderr)
    return 2


def _parser() -> argparse.ArgumentParser:
    """One flag for each field of the specs, with the field's default."""
    parser = argparse.ArgumentParser(prog="python -m weft.simweb", description="Serve a synthetic web on loopback.")
    for field in msgspec.structs.fields(WebSpec):
        flag = f"--{field.name.replace('_', '-')}"
        if isinstance(field.default, tuple):
            parser.add_argument(flag, type=float, nargs=2, metavar=("MIN", "MAX"), default=field.default)
        else:
            parser.add_argument(flag, type=type(field.default), default=field.default)
    parser.add_argument("--dns-ttl-s", type=int, default=DnsSpec().ttl_s)
    parser.add_argument("--dns-delay-ms", type=float, default=0.0)
    parser.add_argument("--dns-failing-share", type=float, default=0.0)
    parser.add_argument("--port", type=int, default=0, help="0 for any free one")
    parser.add_argument("--https-port", type=int, default=0, help="0 for any free one")
    parser.add_argument("--ca-file", metavar="FILE", help="write there what a client has to trust over https")
    parser.add_argument("--dns-port", type=int, default=0, help="0 for any free one")
    parser.add_argument("--log", metavar="FILE", help="write the requests there at the end, as JSON lines")
    parser.add_argument("--job", metavar="FILE", help="all of the above as JSON instead; - for a line on stdin")
    return parser


def _job_from_flags(arguments: argparse.Namespace) -> Job:
    values = vars(arguments)
    return Job(
        spec=msgspec.convert({name: values[name] for name in WebSpec.__struct_fields__}, WebSpec),
        dns=DnsSpec(
            ttl_s=arguments.dns_ttl_s,
            delay_ms=arguments.dns_delay_ms,
            failing_share=arguments.dns_failing_share,
        ),
        http_port=arguments.port,
        https_port=arguments.https_port,
        ca_file=arguments.ca_file,
        dns_port=arguments.dns_port,
        log=arguments.log,
    )


def _read_job(source: str) -> Job:
    data = _read_stdin_line() if source == "-" else Path(source).read_bytes()
    return msgspec.json.decode(data, type=Job)


def _read_stdin_line() -> bytes:
    # Read past Python's buffer, in which the thread that waits for the end would hold a lock at exit.
    pieces = []
    while piece := os.read(_STDIN, 65_536):
        pieces.append(piece)
        if piece.endswith(b"\n"):
            break
    return b"".join(pieces)


def _allow_many_connections() -> None:
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


async def _serve(job: Job) -> None:
    stop = asyncio.Event()
    _stop_on_signal_or_end_of_stdin(stop)
    web = job.web()
    server = SimServer(
        web,
        job.http_port,
        https=job.https,
        https_port=job.https_port,
        ca_file=Path(job.ca_file) if job.ca_file else None,
        ipv6=job.ipv6(),
        counting_only=job.log is None,
    )
    async with server, SimDns(web, job.dns, job.dns_port) as dns:
        _say(_ready(server, dns))
        await stop.wait()
    if job.log:
        write_log(server.log, Path(job.log))
    _say(Summary(server.connections_accepted, dict(server.log.totals), dict(dns.queries)))


def _ready(server: SimServer, dns: SimDns) -> Ready:
    return Ready(
        http_port=server.port,
        https_port=server.https_port,
        ca_file=str(server.ca_file) if server.https_port else None,
        dns_port=dns.port,
        dns=dns.server,
        seeds=server.web.seeds(),
    )


def _stop_on_signal_or_end_of_stdin(stop: asyncio.Event) -> None:
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)

    def wait_for_end() -> None:
        while os.read(_STDIN, 65_536):
            pass
        loop.call_soon_threadsafe(stop.set)

    threading.Thread(target=wait_for_end, name="stdin", daemon=True).start()


def _say(message: msgspec.Struct) -> None:
    # Past Python's own buffer, which would complain at exit about a reader that is gone: a parent that died.
    with contextlib.suppress(BrokenPipeError), open(_STDOUT, "wb", closefd=False) as stdout:
        stdout.write(msgspec.json.encode(message) + b"\n")


if __name__ == "__main__":
    sys.exit(main())
