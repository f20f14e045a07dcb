"""A head is read the same whether its part in C was built or not, and no memory is touched but its own."""

from __future__ import annotations

import random

import pytest

from tests.fetch.head_asan import by_chance, is_same, run
from tests.sanitized import has_sanitizers
from weft.fetch.head import head_in_python, parse_head

try:
    from weft.fetch import _head
except ImportError:
    pytest.skip("the part in C was not built", allow_module_level=True)

USUAL = b"HTTP/1.1 200 OK\r\nServer: nginx\r\nX-Two: a\r\nx-two: b\r\n%s\r\n\r\n"


@pytest.mark.parametrize(
    "line",
    [
        b"Content-Length: 20345",
        b"CONTENT-LENGTH:0",
        b"Transfer-Encoding: chunked",
        b"Transfer-Encoding: Chunked",
        b"Connection: close",
        b"Connection: Keep-Alive\r\nContent-Length: 5",
        b"Content-Length: 5\r\nTransfer-Encoding: chunked",
        b"no colon",
        b": no name",
        b"X: no framing",
    ],
)
def test_what_is_usual_is_read_in_c_to_the_same_result(line: bytes) -> None:
    head = USUAL % line
    assert _head.read(head, 2_000) == head_in_python(head, 2_000) == parse_head(head, 2_000)


@pytest.mark.parametrize(
    "head",
    [
        b"HTTP/1.0 200 OK\r\n\r\n",
        b"HTTP/1.1 200OK\r\n\r\n",
        b"HTTP/1.1 099 x\r\n\r\n",
        b"HTTP/1.1 2",
        b"",
        USUAL % b"Server: folded\r\n it goes on",
        USUAL % b"Content-Length: 5\r\nContent-Length: 5",
        USUAL % b"Content-Length: 5, 5",
        USUAL % (b"Content-Length: " + b"9" * 19),
        USUAL % b"Content-Length:",
        USUAL % b"Transfer-Encoding: gzip, chunked",
        USUAL % b"Connection: upgrade, close",
        USUAL % b"\r\n".join([b"a: b"] * 8),
        USUAL % (b"x" * 129 + b": long"),
    ],
)
def test_what_is_unusual_is_left_to_python(head: bytes) -> None:
    assert _head.read(head, 10) is None


def test_heads_by_chance_are_read_the_same() -> None:
    chance = random.Random(1)
    read = sum(is_same(head, chance.choice((12, 2_000))) for head in by_chance(5_000, chance))
    assert 1_000 < read < 4_500, "heads of both kinds"


def test_what_is_no_head_is_refused() -> None:
    for wrong in ((), (b"",), ("", 1), (b"", b""), (b"", 1, 2)):
        with pytest.raises(TypeError):
            _head.read(*wrong)
    with pytest.raises(OverflowError):
        _head.read(b"HTTP/1.1 200 OK\r\n\r\n", 1 << 80)


@pytest.mark.skipif(not has_sanitizers(), reason="there is no compiler with sanitizers here")
def test_no_head_touches_memory_of_another() -> None:
    assert run(pages=3_000, seed=1).endswith("no error\n")


@pytest.mark.large
@pytest.mark.skipif(not has_sanitizers(), reason="there is no compiler with sanitizers here")
def test_a_million_heads() -> None:
    told = run(pages=1_000_000, seed=2)
    print(told, end="")
    assert told.endswith("no error\n")
