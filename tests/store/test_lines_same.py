"""A page's index lines are the same whether their part in C was built or not, and touch no memory but their own."""

from __future__ import annotations

import random
from typing import Any

import msgspec
import pytest

from tests.sanitized import has_sanitizers
from tests.store.lines_asan import UNUSUAL, by_chance, is_same, name_of, run
from weft.store.index import lines_in_python, lines_of_page
from weft.types import PageRow, Timing
from weft.url.archive_key import key_of_origin

try:
    from weft.store import _lines
except ImportError:
    pytest.skip("the part in C was not built", allow_module_level=True)

URL = "https://www.example.org:8443/A/b.html"


def row(url: str = URL, fetched_at: float = 1_800_000_000.123456, **fields: Any) -> bytes:
    page = PageRow(url=url, status=200, fetched_at=fetched_at, depth=1, **({"file": 1} | fields))
    return msgspec.msgpack.encode(page)


@pytest.mark.parametrize(
    "usual",
    [
        row(),
        row(file=0),
        row("https://example.org:port/", file=0),  # the key of a page without a record is asked of nobody
        row(title='"Ünïcode" \\ ✓', timing=Timing(0.00125, 12.3, 0.0), seed=3, beyond=2, noindex=True),
        row("http://example.org/"),
        row("https://example.org/a;jsessionid=" + "0" * 32),
        row(fetched_at=951_782_399.0),
        row(fetched_at=951_782_400.9994999),
    ],
)
def test_what_is_usual_is_written_in_c_to_the_same_bytes(usual: bytes) -> None:
    made = _lines.lines(usual, name_of, key_of_origin)
    assert made == lines_in_python(usual, name_of) == lines_of_page(usual, name_of)


@pytest.mark.parametrize(
    "unusual",
    [
        *(row(**fields) for fields in UNUSUAL),
        row("https://example.org/?a=b"),
        row("https://example.org/%41"),
        row("https://example.org/a//b"),
        row("https://example.org/a.aspx"),
        row("ftp://example.org/a"),
        row(title="two\nlines"),
        row(fetched_at=0.5),
        row(fetched_at=1_800_000_000.9999998),
        row(timing=Timing(-1.0, 0.0, 0.0)),
        row() + b"\0",
        row()[:-1],
        b"",
    ],
)
def test_what_is_unusual_is_left_to_python(unusual: bytes) -> None:
    assert _lines.lines(unusual, name_of, key_of_origin) is None


@pytest.mark.parametrize("fields", range(4, len(PageRow.__struct_fields__)))
def test_a_row_has_the_fields_of_the_weft_that_wrote_it(fields: int) -> None:
    """Those that came later are as usual."""
    old = msgspec.msgpack.encode(msgspec.msgpack.decode(row(file=1))[:fields])
    assert _lines.lines(old, name_of, key_of_origin) == lines_in_python(old, name_of)


def test_pages_by_chance_have_the_same_lines() -> None:
    made = sum(is_same(one) for one in by_chance(5_000, random.Random(1)))
    assert 2_000 < made < 4_500, "pages of both kinds"


def test_what_is_no_row_is_refused() -> None:
    for wrong in ((), (b"",), ("", name_of, key_of_origin), (row(), name_of, key_of_origin, 1)):
        with pytest.raises(TypeError):
            _lines.lines(*wrong)


def test_an_error_of_a_function_is_told() -> None:
    def fails(_asked: object) -> str:
        raise LookupError("no such file")

    with pytest.raises(LookupError):
        _lines.lines(row(), fails, key_of_origin)
    with pytest.raises(LookupError):
        _lines.lines(row(), name_of, fails)
    with pytest.raises(TypeError):
        _lines.lines(row(), lambda number: number, key_of_origin)  # type: ignore[arg-type, return-value]


@pytest.mark.skipif(not has_sanitizers(), reason="there is no compiler with sanitizers here")
def test_no_line_touches_memory_of_another() -> None:
    assert run(pages=3_000, seed=1).endswith("no error\n")


@pytest.mark.large
@pytest.mark.skipif(not has_sanitizers(), reason="there is no compiler with sanitizers here")
def test_the_lines_of_a_million_pages() -> None:
    told = run(pages=1_000_000, seed=2)
    print(told, end="")
    assert told.endswith("no error\n")
