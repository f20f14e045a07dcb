"""`weft doctor`: whether this machine is fit for a crawl, and what to do where it is not."""

from __future__ import annotations

import asyncio
import resource
from pathlib import Path
from typing import Annotated

import msgspec
import typer
from rich.console import Console

from weft.cli.exits import Exit
from weft.cli.health import (
    Finding,
    Level,
    compiler,
    file_limit,
    libraries,
    name_servers,
    optional_parts,
    python,
    scanner,
)
from weft.cli.health_disk import disk_findings

RESOLV_CONF = Path("/etc/resolv.conf")

_STYLES = {Level.OK: "green", Level.WARN: "yellow", Level.PROBLEM: "bold red"}


def doctor(
    folder: Annotated[
        Path | None, typer.Argument(metavar="DIR", help="Where a crawl would be stored. [default: here]")
    ] = None,
    dns_server: Annotated[
        list[str] | None,
        typer.Option(metavar="IP[:PORT]", help="Ask this DNS server instead of the system's. [repeatable]"),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings as one JSON list.")] = False,
) -> None:
    """Check that this machine is fit for a crawl.

    It looks at Python, libraries, compiler, file limit, folder, disk and DNS, and asks each DNS server for one name.
    Exit codes: 0 fit, perhaps with warnings; 1 there is a problem.
    """
    findings = examine(folder or Path(), dns_server or [])
    if as_json:
        print(msgspec.json.encode(findings).decode())
    else:
        _print(findings)
    raise typer.Exit(Exit.FAILED if any(finding.level is Level.PROBLEM for finding in findings) else Exit.DONE)


def examine(folder: Path, dns_servers: list[str]) -> list[Finding]:
    """Everything that can be found out about this machine; where a library is missing, nothing that may want it."""
    without_libraries = [python(), libraries()]
    if any(finding.level is Level.PROBLEM for finding in without_libraries):
        return [*without_libraries, compiler()]
    from weft.dns.server_address import checked_server

    for server in dns_servers:
        checked_server(server)  # what the user typed is refused; what the system says is reported
    return [
        *without_libraries,
        *optional_parts(),
        compiler(),
        scanner(),
        file_limit(*resource.getrlimit(resource.RLIMIT_NOFILE)),
        *disk_findings(folder),
        *asyncio.run(name_servers(dns_servers or servers_in(RESOLV_CONF))),
    ]


def servers_in(resolv_conf: Path) -> list[str]:
    """The name servers that the system asks."""
    try:
        lines = resolv_conf.read_text(errors="replace").splitlines()
    except OSError:
        return []
    words = (line.split() for line in lines)
    return [line[1] for line in words if len(line) > 1 and line[0] == "nameserver"]


def _print(findings: list[Finding]) -> None:
    console = Console(highlight=False, soft_wrap=True)
    width = max(len(finding.subject) for finding in findings)
    for finding in findings:
        console.print(f"[{_STYLES[finding.level]}]{finding.level:<8}[/]", end="")
        console.print(f"{finding.subject:<{width}}  {finding.said}", markup=False)
        if finding.advice:
            console.print(f"{'':<{8 + width}}  {finding.advice}", markup=False)
