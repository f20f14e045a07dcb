"""Heads under AddressSanitizer and UndefinedBehaviorSanitizer, each compared with what Python reads in it.

    python -m tests.fetch.head_asan [--pages 20000] [--seed 1]

Makes so many heads by chance: usual ones, and such with everything that servers get wrong. Prints what it did; fails at
the first difference or error.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.sanitized import command_line, load, run_sanitized

NAME = "weft.fetch._head"
STATUS_LINES = (
    b"HTTP/1.1 200 OK",
    b"HTTP/1.1 404",
    b"HTTP/1.1 301 ",
    b"HTTP/1.1 100 Continue",
    b"HTTP/1.1 099 x",
    b"HTTP/1.1 200OK",
    b"HTTP/1.1 20",
    b"HTTP/1.1",
    b"HTTP/1.0 200 OK",
    b"http/1.1 200 OK",
    b"ICY 200 OK",
    b"HTTP/1.1  200",
    b"HTTP/2 200",
    b"",
    b"HTTP/1.1 2000",
    b"HTTP/1.1 200\t",
    b"HTTP/1.1 200\0",
)
NAMES = (
    b"Content-Type",
    b"Server",
    b"ETag",
    b"X-" + b"y" * 140,
    b"Set-Cookie",
    b"",
    b" ",
    b"\t Date",
    b"Vary ",
    b"N\xe4me",
    b"a b",
    b"Contents-Length",
    b"connection\0",
    b"X" * 128,
    b"X" * 129,
)
VALUES = (
    b"text/html; charset=utf-8",
    b"",
    b" ",
    b"a:b:c",
    b"\x00\xff",
    b"5, 5",
    b"x" * 300,
    b"\x0b\x0c v \x1c",
    b"\rv\r",
)
FRAMINGS: dict[bytes, tuple[bytes, ...]] = {
    b"Content-Length": (
        b"0",
        b"20345",
        b"",
        b"5, 5",
        b"5,6",
        b"-1",
        b"+5",
        b"9" * 18,
        b"9" * 19,
        b"0" * 30,
        b"5 5",
        b"0x10",
        b"\xb2",
        b" 7\t",
    ),
    b"Transfer-Encoding": (
        b"chunked",
        b"Chunked",
        b"gzip",
        b"gzip, chunked",
        b"chunked;a=b",
        b"",
        b"identity",
        b"chunked,",
    ),
    b"Connection": (
        b"keep-alive",
        b"Keep-Alive",
        b"close",
        b"CLOSE",
        b"close, x",
        b"upgrade",
        b"",
        b"keep-alive, close",
    ),
}
LINE_ENDS = (b"\r\n", b"\r\n", b"\r\n", b"\n", b"\r\r\n", b"\r\n ", b"\n\t")
MOST_HEADERS = 12

Read = tuple[object, ...]


def run(pages: int, seed: int) -> str:
    """Build the part and read so many heads with it, in a process of its own. What it printed."""
    return run_sanitized("src/weft/fetch/_head.c", "tests.fetch.head_asan", pages, seed)


def read_heads(library: Path, pages: int, seed: int) -> str:
    """Read heads with the part in `library`."""
    load(NAME, library)
    chance = random.Random(seed)
    read = sum(is_same(head, chance.choice((MOST_HEADERS, 2_000))) for head in by_chance(pages, chance))
    return f"{pages} heads, {read} of them read in C, the same as in Python: no error"


def is_same(head: bytes, max_headers: int) -> bool:
    """Compare; False if the part in C leaves the head to Python."""
    from weft.fetch.head import head_in_python

    usual = sys.modules[NAME].read(head, max_headers)
    if usual is None:
        return False
    expected = tuple(head_in_python(head, max_headers))
    assert usual == expected, head
    assert [type(part) for part in usual] == [type(part) for part in expected], head
    return True


def by_chance(count: int, chance: random.Random) -> Iterator[bytes]:
    """Half of them are usual up to a byte or two."""
    for number in range(count):
        head = _usual(chance) if number % 2 else _unusual(chance)
        if chance.random() < 0.3:
            head = _damaged(head, chance)
        yield head


def _usual(chance: random.Random) -> bytes:
    lines = [b"HTTP/1.1 %d Some words" % chance.choice((200, 200, 301, 404, 999))]
    lines += [
        b"%s: %s" % (_cased(chance.choice(NAMES[:3]), chance), chance.choice(VALUES))
        for _ in range(chance.randrange(9))
    ]
    for name, values in FRAMINGS.items():
        if chance.random() < 0.5:
            lines.insert(
                chance.randrange(1, len(lines) + 1), b"%s: %s" % (_cased(name, chance), chance.choice(values[:2]))
            )
    return b"\r\n".join(lines) + b"\r\n\r\n"


def _unusual(chance: random.Random) -> bytes:
    head = chance.choice(STATUS_LINES)
    for _ in range(chance.randrange(16)):
        name = _cased(chance.choice((*NAMES, *FRAMINGS)), chance)
        values = FRAMINGS.get(name, VALUES) if chance.random() < 0.9 else VALUES
        head += (
            chance.choice(LINE_ENDS) + name + chance.choice((b":", b": ", b" : ", b"", b":\t")) + chance.choice(values)
        )
    return head + chance.choice((b"\r\n\r\n", b"\n\n", b"\n\r\n", b"\n", b""))


def _cased(name: bytes, chance: random.Random) -> bytes:
    return chance.choice((name, name, name.lower(), name.upper()))


def _damaged(head: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(head) + 1)
    byte = chance.choice((b"\n", b"\r", b":", b" ", b"\0", b"", b"9", bytes((chance.randrange(256),))))
    return head[:at] + byte + head[at + chance.randrange(3) :]


def main() -> None:
    """Run from the command line; with `--library`, in the process that has the sanitizers."""
    command_line(__doc__, run, read_heads)


if __name__ == "__main__":
    main()
