from __future__ import annotations

import pytest

from weft.simweb.ask import Ask, read_ask


@pytest.mark.parametrize(
    ("head", "ask"),
    [
        (b"GET /a?b HTTP/1.1\r\nHost: A.test:81", Ask("a.test", "/a?b", False, True)),
        (b"HEAD / HTTP/1.1\r\naccept: x\r\nhost:a.test \r\nX: y", Ask("a.test", "/", True, True)),
        (b"GET / HTTP/1.1\r\nHost: a.test\r\nConnection: Close", Ask("a.test", "/", False, False)),
        (b"GET / HTTP/1.0\r\nHost: a.test", Ask("a.test", "/", False, False)),
        (b"GET / HTTP/1.1\r\nHost: [::1]:81", Ask("::1", "/", False, True)),
        (b"GET / HTTP/1.1\r\nX-Host: a.test", None),
        (b"GET / HTTP/1.1", None),
        (b"GET /", None),
        (b"GET http://a.test/ HTTP/1.1\r\nHost: a.test", None),
        (b"", None),
    ],
)
def test_a_head_is_read_as_far_as_needed(head: bytes, ask: Ask | None) -> None:
    assert read_ask(head) == ask
