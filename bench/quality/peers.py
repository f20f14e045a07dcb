"""The other tools: how each is called, and what it says is wrong."""

from __future__ import annotations

import asyncio
import csv
import os
import re
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import quote, urldefrag, urljoin

import msgspec

LINKCHECKER, WGET = "LinkChecker", "wget --spider"
# It waits 0.1 to 0.6 s between two requests, unless the server says this with an answer.
UNHURRIED_HEADER = "LinkChecker"
_LINKCHECKER_RC = """\
[checking]
maxrequestspersecond=10000
threads=10
{trusted}
"""
_KEPT = "/:?&=%#+,;@!$'()*~[]"
_WITH_HOSTS = 'mount --bind "$0" /etc/hosts && exec "$@"'


class Said(msgspec.Struct):
    """What a tool complains of, with the pages that it names for each URL."""

    took_s: float
    broken: dict[str, set[str]]
    redirected: dict[str, set[str]] = {}  # no errors
    chained: dict[str, set[str]] = {}  # of these, several in a row


class Surroundings(msgspec.Struct, frozen=True):
    """Where a tool runs."""

    peers: Path  # the environment of the peers
    scratch: Path
    ca_file: Path | None = None
    hosts: Mapping[str, str] = {}  # names that only this run knows, and their addresses


async def linkchecker(seeds: Sequence[str], place: Surroundings) -> Said | None:
    """As its manual shows it; links to other sites are asked for, too. None if it is not installed."""
    program = place.peers / "bin" / "linkchecker"
    if not program.exists():
        return None
    settings = place.scratch / "linkcheckerrc"
    settings.write_text(_LINKCHECKER_RC.format(trusted=f"sslverify={place.ca_file}" if place.ca_file else ""))
    asked = ["-f", str(settings), "--no-status", "-o", "csv", *(["--check-extern"] if place.hosts else []), *seeds]
    output, took_s = await _output([str(program), *asked], place)
    said = Said(took_s, {})
    table = output[output.find("urlname;") :].partition("\n#")[0]
    for row in csv.DictReader(table.splitlines(), delimiter=";"):
        asked_for = urldefrag(urljoin(row["parentname"], quote(row["urlname"], safe=_KEPT))).url
        steps = row["warningstring"].count("Redirected to")
        if steps:
            said.redirected.setdefault(asked_for, set()).add(row["parentname"])
        if steps > 1:
            said.chained.setdefault(asked_for, set()).add(row["parentname"])
        if row["valid"] == "False":
            for url in {asked_for, urldefrag(row["url"]).url}:
                said.broken.setdefault(url, set()).add(row["parentname"])
    return said


async def wget(seeds: Sequence[str], place: Surroundings) -> Said:
    """-p: also what pages need. Its list of broken links names no page that has them."""
    asked = ["--spider", "-r", "-l", "inf", "-p", "-nd", "-nv", "--no-proxy", "-t", "2"]
    if place.hosts:
        asked += ["-H", "-D", ",".join(place.hosts)]
    if place.ca_file:
        asked.append(f"--ca-certificate={place.ca_file}")
    output, took_s = await _output(["wget", *asked, "-P", str(place.scratch), *seeds], place)
    listed = re.search(r"^Found .* broken links?\.$(.*)^FINISHED", output, re.MULTILINE | re.DOTALL)
    return Said(took_s, {url: set() for url in (listed[1].split() if listed else ())})


async def _output(command: Sequence[str], place: Surroundings) -> tuple[str, float]:
    """What a tool prints, and how long it took."""
    if place.hosts:
        file = place.scratch / "hosts"
        file.write_text("".join(f"{address} {name}\n" for name, address in place.hosts.items()))
        # LinkChecker, run by root, becomes nobody: a user whom a namespace of ours would not know.
        command = ["unshare", "-m" if os.geteuid() == 0 else "-rm", "sh", "-c", _WITH_HOSTS, str(file), *command]
    started = time.monotonic()
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        env=os.environ | {"LC_ALL": "C"},
        cwd=place.scratch,
    )
    output, _ = await process.communicate()
    return output.decode("utf-8", "replace"), time.monotonic() - started
