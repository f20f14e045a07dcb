"""Index lines under AddressSanitizer and UndefinedBehaviorSanitizer, each compared with those that Python makes.

    python -m tests.store.lines_asan [--pages 20000] [--seed 1]

Makes the rows of so many pages by chance, usual ones and others, and damages some of them. Prints what it did; fails at
the first difference or error.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from tests.sanitized import command_line, load, run_sanitized
from weft.types import Kind, Original, Outcome, PageRow, RequestParts, Timing, Unread

NAME = "weft.store._lines"
ORIGINS = (
    "http://example.org", "https://www.example.org", "https://www2.a.example:8443", "http://127.0.0.1:80",
    "http://[2001:db8::1]", "https://a..example.", "ftp://files.example",
)  # fmt: skip
USUAL_PATHS = ("/", "/a", "/A/b.html", "/a/", "/s.asp", "/session/IDs", "/a.b~c_d!$&'()*+,;:@/e-", "/x" * 60)
PATHS = (
    *USUAL_PATHS, "/?", "/b?y=2&x=1", "/a//b", "/a/../b", "/.well-known", "/%41", "/a#b", "/a=b", "/x.ASPX", "/é",
    "/a;jSessionId=" + "0" * 32, "/(" + "a" * 24 + ")/x.aspx", "/a b", "/\x7f", '/"', "/a\\b", "/sid=1?cfid=", "/Sid=1",
    "/" + '"' * 9_000,
)  # fmt: skip
TEXTS = ("", "text/html", "utf-8", 'a "quoted" \\ title', "Ünïcode ✓ 𝄞", "x" * 40, "y" * 300, "z" * 70_000)
ODD_TEXTS = ("a\nb", "\x1f", "\0", "a\x7fb", "\u2028")
TIMES = (
    1_800_000_000.123456, 1_795_035_982.891247, float(1 << 20), 1_800_000_000.0000005, 951_782_400.5, 4e9,
    4_107_542_399.0, 4_107_542_400.0, 2e11,
)  # fmt: skip
ODD_TIMES = (0.0, 1.5, -3.25, 1_800_000_000.9999998, 253_402_300_799.5, 1_709_164_799.999999)
NUMBERS = (0, 1, 127, 128, 255, 256, 65_535, 65_536, (1 << 32) - 1, 1 << 32, 1 << 62)
DURATIONS = (0.0, 0.00125, 0.00015, 0.000049999, 1.0, 12.34567, 99_999.0, 3e-9)
ODD_DURATIONS = (-0.5, -0.0, 100_000.0, 1e12)
UNUSUAL: tuple[dict[str, Any], ...] = (
    {"original": Original("http://a.example/", 1.5, "sha1:X", 1, 2, 3)},
    {"near": "http://a.example/near"},
    {"unread": Unread.TOO_LARGE, "links_read_bytes": 5},
    {"leads_back": True},
    {"parts": RequestParts(b"d" * 16, "POST", b"a=b")},
    {"parts": RequestParts(b"")},
)

_encode = msgspec.msgpack.Encoder().encode


def run(pages: int, seed: int) -> str:
    """Build the part and make the lines of so many pages with it, in a process of its own. What it printed."""
    return run_sanitized("src/weft/store/_lines.c", "tests.store.lines_asan", pages, seed)


def make_lines(library: Path, pages: int, seed: int) -> str:
    """Make lines with the part in `library`."""
    load(NAME, library)
    made = sum(is_same(row) for row in by_chance(pages, random.Random(seed)))
    return f"{pages} pages, the lines of {made} of them made in C, the same as in Python: no error"


def name_of(file_id: int) -> str:
    """The name of a file."""
    if file_id > 2:
        return '"' * 3_000
    return f'weft-{file_id}-"quoted"-ü.warc.gz' if file_id % 2 else f"weft-{file_id:05}.warc.gz"


def is_same(row: bytes) -> bool:
    """Compare; False if the part in C leaves the page to Python."""
    from weft.store.index import lines_in_python
    from weft.url.archive_key import key_of_origin

    try:
        expected = lines_in_python(row, name_of)
    except Exception:  # it is damaged; whatever C makes of it, it must not leave its memory
        with suppress(Exception):
            sys.modules[NAME].lines(row, name_of, key_of_origin)
        return False
    made = sys.modules[NAME].lines(row, name_of, key_of_origin)
    assert made is None or made == expected, row
    return made is not None


def by_chance(count: int, chance: random.Random) -> Iterator[bytes]:
    """Rows of pages: nine of ten have nothing or one thing that is odd, others are damaged, too."""
    for _ in range(count):
        row = _encode(_page(chance))
        yield row if chance.random() < 0.9 else _damaged(row, chance)


def _page(chance: random.Random) -> PageRow:
    oddity = chance.randrange(12)

    def one_of(usual: tuple[object, ...], odd: tuple[object, ...], number: int) -> object:
        return chance.choice(odd if oddity == number else usual)

    def text() -> object:
        return chance.choice(TEXTS[:-1]) if chance.random() < 0.999 else TEXTS[-1]

    fields: dict[str, object] = {
        "url": str(one_of(ORIGINS[:5], ORIGINS, 0)) + str(one_of(USUAL_PATHS, PATHS, 1)),
        "status": chance.choice((200, 200, 301, 304, 404, 0)),
        "fetched_at": one_of((*TIMES, 1.8e9 + chance.random()), ODD_TIMES, 2),
        "depth": chance.choice(NUMBERS),
        "outcome": chance.choice(tuple(Outcome)),
        "mime": text(),
        "digest": text(),
        "file": chance.choice((0, 1, 2, 70_000)),
        "offset": chance.choice(NUMBERS),
        "length": chance.choice(NUMBERS),
        "body_bytes": chance.choice(NUMBERS),
        "charset": text(),
        "title": one_of(TEXTS[:-1], ODD_TEXTS, 3),
        "via": text(),
        "kind": chance.choice(tuple(Kind)),
        "truncated": text(),
        "noindex": chance.random() < 0.5,
        "address": text(),
        "attempts": chance.choice(NUMBERS),
        "timing": Timing(*(float(str(one_of((*DURATIONS, chance.random()), ODD_DURATIONS, 4))) for _ in range(3))),
        "hops": text(),
        "seed": chance.choice((-1, -200, -70_000, *NUMBERS)),
        "simhash": chance.choice((0, (1 << 64) - 1, -(1 << 40))),
        "outside": chance.choice(NUMBERS),
        "beyond": chance.choice(NUMBERS),
    }
    kept = set(chance.sample(sorted(fields), chance.randrange(len(fields))))
    known = {name: value for name, value in fields.items() if name in kept}
    always = {name: fields[name] for name in ("url", "status", "fetched_at", "depth")}
    unusual = chance.choice(UNUSUAL) if oddity == 5 else {}
    return PageRow(**(known | always | unusual))  # type: ignore[arg-type]


def _damaged(row: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(row))
    if chance.random() < 0.3:
        return row[:at]
    return row[:at] + chance.choice((b"", b"\xc1", bytes((chance.randrange(256),)))) + row[at + chance.randrange(4) :]


def main() -> None:
    """Run from the command line; with `--library`, in the process that has the sanitizers."""
    command_line(__doc__, run, make_lines)


if __name__ == "__main__":
    main()
