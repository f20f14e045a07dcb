from __future__ import annotations

import ssl

import pytest

from weft.simweb.clienthello import NotTlsError, read_server_name


def client_hello(name: str | None) -> bytes:
    """As OpenSSL writes it."""
    context = ssl.create_default_context()
    context.check_hostname = False
    outgoing = ssl.MemoryBIO()
    tls = context.wrap_bio(ssl.MemoryBIO(), outgoing, server_hostname=name)
    with pytest.raises(ssl.SSLWantReadError):
        tls.do_handshake()
    return outgoing.read()


def in_records_of(hello: bytes, length: int) -> bytes:
    """The same message, cut into smaller records."""
    message = hello[5:]
    pieces = [message[at : at + length] for at in range(0, len(message), length)]
    return b"".join(hello[:3] + len(piece).to_bytes(2) + piece for piece in pieces)


@pytest.mark.parametrize("name", ["a.test", "www.amber3.example", "xn--caf-dma.test"])
def test_the_name_is_read(name: str) -> None:
    assert read_server_name(client_hello(name)) == name


def test_the_name_is_read_in_lower_case() -> None:
    assert read_server_name(client_hello("WWW.Amber3.Test")) == "www.amber3.test"


@pytest.mark.parametrize("name", [None, "127.0.0.1"])
def test_a_hello_without_a_name_is_for_none(name: str | None) -> None:
    assert read_server_name(client_hello(name)) == ""


def test_a_hello_may_come_in_many_records() -> None:
    assert read_server_name(in_records_of(client_hello("a.test"), 50)) == "a.test"


def test_a_hello_that_is_not_whole_is_waited_for() -> None:
    hello = client_hello("a.test")
    assert [read_server_name(hello[:length]) for length in range(len(hello))] == [None] * len(hello)


@pytest.mark.parametrize(
    "data",
    [
        b"GET / HTTP/1.1\r\nHost: a.test\r\n\r\n",
        b"\x15\x03\x01\x00\x02\x02\x28",  # an alert
        b"\x16\x03\x01\x00\x04\x02\x00\x00\x00",  # a ServerHello
        b"\x16\x03\x01\x00\x06\x01\x00\x00\x02\x03\x03",  # a ClientHello of two bytes
    ],
)
def test_what_is_no_hello_is_refused(data: bytes) -> None:
    with pytest.raises(NotTlsError):
        read_server_name(data)
