"""Which addresses are public: by the registries of special-purpose addresses, edges included, in every disguise."""

from __future__ import annotations

import pytest

from weft.dns import is_public, permitted

PRIVATE_IPV4 = {
    "this network": ("0.0.0.0", "0.1.2.3", "0.255.255.255"),
    "private 10/8": ("10.0.0.0", "10.255.255.255"),
    "shared with a carrier": ("100.64.0.0", "100.127.255.255"),
    "loopback": ("127.0.0.0", "127.0.0.1", "127.255.255.255"),
    "link-local": ("169.254.0.0", "169.254.169.254", "169.254.255.255"),
    "private 172.16/12": ("172.16.0.0", "172.31.255.255"),
    "protocol assignments": ("192.0.0.0", "192.0.0.8", "192.0.0.170", "192.0.0.255"),
    "documentation": ("192.0.2.1", "198.51.100.1", "203.0.113.255"),
    "private 192.168/16": ("192.168.0.0", "192.168.255.255"),
    "benchmarks": ("198.18.0.0", "198.19.255.255"),
    "multicast": ("224.0.0.1", "239.255.255.255"),
    "reserved": ("240.0.0.1", "255.255.255.254"),
    "broadcast": ("255.255.255.255",),
}
PRIVATE_IPV6 = {
    "unspecified": ("::",),
    "loopback": ("::1",),
    "IPv4-compatible": ("::2", "::7f00:1", "::a00:1", "::c0a8:101"),
    "IPv4-mapped": ("::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:a9fe:a9fe", "::ffff:0.0.0.0"),
    "IPv4-translated": ("::ffff:0:7f00:1", "::ffff:0:808:808"),
    "NAT64": ("64:ff9b::7f00:1", "64:ff9b::a00:1", "64:ff9b::a9fe:a9fe"),
    "NAT64 within a network": ("64:ff9b:1::7f00:1", "64:ff9b:1::808:808"),
    "discard": ("100::", "100::1"),
    "Teredo": ("2001:0:4136:e378:8000:63bf:80ff:fffe", "2001:0:4136:e378:8000:63bf:3f57:fffe"),
    "benchmarks": ("2001:2::1",),
    "ORCHID": ("2001:10::1", "2001:20::1"),
    "anycast of protocols": ("2001:1::1", "2001:1::3", "2001:4:112::1"),
    "documentation": ("2001:db8::", "2001:db8:ffff::1", "3fff::1"),
    "6to4": ("2002:7f00:1::1", "2002:a00:1::", "2002:c0a8:101::1", "2002:a9fe:a9fe::"),
    "unique local": ("fc00::", "fd12:3456::1", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
    "link-local": ("fe80::1", "fe80::1%eth0", "febf::1"),
    "site-local": ("fec0::1", "feff::1"),
    "multicast": ("ff02::1", "ff0e::1"),
    "not given out": ("200::1", "1fff::1", "4000::1", "5f00::1", "8000::1", "e000::1"),
}
PUBLIC = (
    "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "93.184.216.34", "100.63.255.255", "100.128.0.0",
    "126.255.255.255", "128.0.0.0", "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "191.255.255.255",
    "192.0.1.0", "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0", "223.255.255.255",
    "2001:200::1", "2001:4860:4860::8888", "2606:4700:4700::1111", "2a00:1450:4001::1",
    "::ffff:8.8.8.8", "::808:808", "64:ff9b::808:808", "2002:808:808::1", "2001:0:4136:e378:8000:63bf:f7f7:f7f7",
)  # fmt: skip


@pytest.mark.parametrize("network", PRIVATE_IPV4)
def test_an_ipv4_address_of_a_special_network_is_not_public(network: str) -> None:
    assert [address for address in PRIVATE_IPV4[network] if is_public(address)] == []


@pytest.mark.parametrize("network", PRIVATE_IPV6)
def test_an_ipv6_address_of_a_special_network_is_not_public(network: str) -> None:
    assert [address for address in PRIVATE_IPV6[network] if is_public(address)] == []


@pytest.mark.parametrize("prefix", ["::ffff:", "64:ff9b::", "::"])
@pytest.mark.parametrize("network", PRIVATE_IPV4)
def test_a_special_ipv4_address_is_not_public_within_an_ipv6_one(network: str, prefix: str) -> None:
    assert [address for address in PRIVATE_IPV4[network] if is_public(prefix + address)] == []


@pytest.mark.parametrize("address", PUBLIC)
def test_an_address_beside_the_special_networks_is_public(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize(
    ("ipv4", "ipv6", "used"),
    [(9, 0, "4444"), (0, 9, "6666"), (9, 9, "4466"), (9, 1, "4446"), (1, 9, "4666"), (2, 1, "446")],
)
def test_of_many_addresses_a_few_are_used_and_of_both_kinds(ipv4: int, ipv6: int, used: str) -> None:
    addresses = tuple(f"10.0.0.{number}" for number in range(ipv4)) + tuple(f"fd00::{n}" for n in range(1, ipv6 + 1))
    few = permitted("a.example", addresses, allow_private=True)
    assert "".join("6" if ":" in address else "4" for address in few) == used
    assert list(few) == sorted(few), "the first of each, in their order"
    assert permitted("a.example", (few[0],) * 9, allow_private=True) == (few[0],)


def test_an_ipv4_address_in_an_ipv6_one_is_the_same_machine() -> None:
    addresses = ("::ffff:8.8.8.8", "8.8.8.8", "::ffff:808:808", "2606:4700::1")
    assert permitted("a.test", addresses, allow_private=False) == ("8.8.8.8", "2606:4700::1")
