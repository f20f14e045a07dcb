"""Conditional requests: what is sent, and that a 304 comes back as what it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from weft.fetch import Validators, validators_of

from .rig import Visitor, rigged, run

DATE = b"Mon, 01 Jan 2024 00:00:00 GMT"


@pytest.mark.parametrize(
    ("validators", "lines"),
    [
        (Validators(etag=b'W/"x"'), b'If-None-Match: W/"x"\r\n'),
        (Validators(last_modified=DATE), b"If-Modified-Since: %b\r\n" % DATE),
        (Validators(b'"x"', DATE), b'If-None-Match: "x"\r\nIf-Modified-Since: %b\r\n' % DATE),
        (Validators(etag=b'"\xe4"'), b'If-None-Match: "\xe4"\r\n'),
        (Validators(), b""),
        (Validators(etag=b"a\rX: y"), b""),
        (Validators(etag=b"\0"), b""),
        (Validators(etag=b"x" * 2000, last_modified=DATE), b"If-Modified-Since: %b\r\n" % DATE),
    ],
)
def test_validators_are_sent_back_as_they_came_unless_they_would_break_the_request(
    validators: Validators, lines: bytes
) -> None:
    assert validators.header_lines() == lines


def test_validators_are_found_in_a_response() -> None:
    assert validators_of(((b"etag", b"1"), (b"last-modified", DATE), (b"etag", b"2"))) == Validators(b"1", DATE)
    assert validators_of(((b"last-modified", DATE),)) == Validators(b"", DATE)
    assert validators_of(((b"server", b"x"), (b"etag", b""))) is None


def test_page_that_has_not_changed_comes_back_as_304(tmp_path: Path) -> None:
    async def script(visitor: Visitor) -> None:
        while True:
            request = await visitor.request()
            if b'\r\nIf-None-Match: "1"\r\n' in request:
                await visitor.send(b'HTTP/1.1 304 Not Modified\r\nETag: "1"\r\nContent-Length: 5\r\n\r\n')
            else:
                await visitor.send(b'HTTP/1.1 200 OK\r\nETag: "1"\r\nContent-Length: 5\r\n\r\nhello')

    async def scenario() -> None:
        async with rigged(tmp_path, script) as rig:
            first = await rig.fetch()
            again = await rig.fetch(validators=validators_of(first.headers))
            assert (first.status, again.status) == (200, 304)
            assert (again.body, again.truncated) == (b"", None)
            assert (await rig.fetch()).status == 200
            assert rig.server.connections == 1

    run(scenario())
