from __future__ import annotations

import socket

import pytest

from weft.dns.spelling import spelled


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("2001:DB8:0::0001", "2001:db8::1"),
        ("::ffff:7f00:1", "::ffff:127.0.0.1"),  # Python itself says so from 3.13 on
        ("::FFFF:127.0.0.1", "::ffff:127.0.0.1"),
        ("fe80::1%eth0", "fe80::1%eth0"),
    ],
)
def test_an_address_is_written_in_one_way_on_every_python(text: str, address: str) -> None:
    assert spelled(text) == address
    assert spelled(address) == address


@pytest.mark.parametrize("text", ["::1", "::", "64:ff9b::808:808", "::7f00:1", "2001:db8:0:1:0:0:0:1"])
def test_it_is_the_way_of_the_c_library(text: str) -> None:
    assert spelled(text) == socket.inet_ntop(socket.AF_INET6, socket.inet_pton(socket.AF_INET6, text))


@pytest.mark.parametrize("text", ["", "example", "127.1", "1.2.3.256", "::g"])
def test_what_is_none_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="address"):
        spelled(text)
