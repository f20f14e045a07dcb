"""weft on the site: one crawl, and whether it fetched everything exactly once."""

from __future__ import annotations

import gzip
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec

from bench.measure import CommandFailed, Measured, run_measured

CONNECTIONS = 64
EXIT_DONE = 0
EXIT_LIMIT = 3
# The command `weft` itself, also where it is not on the PATH.
WEFT = [sys.executable, "-c", "from weft.cli import main; main()"]


class Summary(msgspec.Struct):
    """What the bench reads of weft's own summary."""

    pages: int
    requests: int
    pages_per_s: float
    engine_cpu_s: float
    workers_cpu_s: float
    failed: dict[str, int]


@dataclass(slots=True, frozen=True)
class Completeness:
    """What weft stored, beside what there is."""

    pages: int
    missed: list[str] | None  # None when the crawl was limited: then it has to miss some
    unexpected: list[str]  # stored, but not reachable by the truth
    twice: list[str]  # more than one response record in the archive


class _PageLine(msgspec.Struct):
    url: str
    status: int


def crawl_by_weft(
    start_url: str, scratch: Path, folder: Path, *, max_pages: int | None, ca_file: Path | None = None
) -> tuple[Summary, Measured]:
    """weft's own summary, and what the crawl cost as seen from outside."""
    command = [
        *WEFT, "crawl", start_url, "--allow-private", "--scope", "host", "--delay", "0",
        "--connections", str(CONNECTIONS), "--connections-per-host", str(CONNECTIONS),
        "--json", "--quiet", "-o", str(folder),
    ]  # fmt: skip
    if max_pages is not None:
        command += ["--max-pages", str(max_pages)]
    if ca_file is not None:
        command += ["--ca-file", str(ca_file)]
    log = scratch / "weft.log"
    measured = run_measured(command, log=log)
    if measured.exit_code not in (EXIT_DONE, EXIT_LIMIT):
        raise CommandFailed(f"weft ended with exit code {measured.exit_code}:\n{log.read_text()[-2000:]}")
    return msgspec.json.decode(measured.output.strip().splitlines()[-1], type=Summary), measured


def check_completeness(folder: Path, reachable: set[str], *, is_whole: bool) -> Completeness:
    """Compare a finished crawl's index and archive with the truth."""
    decode = msgspec.json.Decoder(_PageLine).decode
    lines = (decode(line) for line in (folder / "pages.jsonl").read_bytes().splitlines())
    fetched = {line.url for line in lines if 200 <= line.status < 300}
    archived = Counter(url for file in sorted((folder / "archive").glob("*.warc.gz")) for url in _responses(file))
    stored = fetched & archived.keys()
    return Completeness(
        pages=len(stored),
        missed=sorted(reachable - stored) if is_whole else None,
        unexpected=sorted(fetched - reachable),
        twice=sorted(url for url, times in archived.items() if times > 1),
    )


def _responses(file: Path) -> Iterator[str]:
    """The URLs of the response records of a WARC file, in its order."""
    with gzip.open(file) as records:
        while records.readline():  # WARC/1.1
            fields: dict[bytes, bytes] = {}
            while line := records.readline().rstrip(b"\r\n"):
                name, _, value = line.partition(b": ")
                fields[name] = value
            records.read(int(fields[b"Content-Length"]) + len(b"\r\n\r\n"))
            if fields[b"WARC-Type"] == b"response":
                yield fields[b"WARC-Target-URI"].decode()
