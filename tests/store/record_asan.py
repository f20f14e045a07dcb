"""Records under AddressSanitizer and UndefinedBehaviorSanitizer, each compared with what Python makes of it.

    python -m tests.store.record_asan [--pages 20000] [--seed 1]

Makes so many records by chance, and three of each real page that lies in /usr/share/doc: request, response and
metadata. Prints what it did; fails at the first difference or error.
"""

from __future__ import annotations

import hashlib
import random
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.sanitized import command_line, load, run_sanitized

NAME = "weft.store._record"
REAL_PAGES = Path("/usr/share/doc")
CHUNK_BYTES = 64  # of SHA-1: what is one byte longer or shorter goes another way
TEXTS = ("", "WARC-Type: response\r\n", "WARC-Target-URI: http://site.test/ä\r\n", "☃: \U0001f600\r\n" * 3, "a\0b")

Record = tuple[str, bytes, bytes, str, int]


def run(pages: int, seed: int) -> str:
    """Build the part and make so many records with it, in a process of its own. What it printed."""
    return run_sanitized("src/weft/store/_record.c", "tests.store.record_asan", pages, seed)


def make_records(library: Path, pages: int, seed: int) -> str:
    """Make records with the part in `library`."""
    load(NAME, library)
    module = sys.modules[NAME]
    from weft.store import warc

    assert warc.record is not warc.record_in_python
    ways = [hashlib.sha1, None] if module.has_sha1() else [hashlib.sha1]
    chance = random.Random(seed)
    real = 0
    for record in by_chance(pages, chance):
        assert module.record(*record, chance.choice(ways)) == warc.record_in_python(*record), record
    for record in of_real_pages(pages, chance):
        real += 1
        for way in ways:
            assert module.record(*record, way) == warc.record_in_python(*record), record[0]
    return f"{pages} records made by chance and {real} of real pages, the same as in Python: no error"


def by_chance(count: int, chance: random.Random) -> Iterator[Record]:
    """Records of all lengths, most of them near a multiple of a chunk."""
    for _ in range(count):
        fields, tail = chance.choice(TEXTS) * chance.randrange(4), chance.choice(TEXTS)
        yield fields, _bytes(chance), _bytes(chance), tail, chance.randrange(4)


def of_real_pages(count: int, chance: random.Random) -> Iterator[Record]:
    """The records of so many files, if there are."""
    paths = sorted(path for path in REAL_PAGES.rglob("*.html") if path.is_file())
    for path in chance.sample(paths, min(count, len(paths))):
        body, url = path.read_bytes(), f"http://site.test{path}"
        head = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {len(body)}\r\n\r\n".encode()
        about = f"WARC-Record-ID: <urn:{chance.getrandbits(64):x}>\r\nWARC-Target-URI: {url}\r\n"
        yield f"WARC-Type: response\r\n{about}", head, body, chance.choice(("", "WARC-Truncated: length\r\n")), 3
        yield f"WARC-Type: request\r\n{about}", b"", f"GET {path} HTTP/1.1\r\nHost: site.test\r\n\r\n".encode(), "", 2
        yield f"WARC-Type: metadata\r\n{about}", b"", f"via: {url}\r\nhopsFromSeed: L\r\n".encode(), "", 2


def _bytes(chance: random.Random) -> bytes:
    if chance.random() < 0.1:
        return chance.randbytes(chance.randrange(5_000))
    return chance.randbytes(max(0, chance.randrange(5) * CHUNK_BYTES + chance.choice((-9, -8, -1, 0, 1, 7))))


def main() -> None:
    """Run from the command line; with `--library`, in the process that has the sanitizers."""
    command_line(__doc__, run, make_records)


if __name__ == "__main__":
    main()
