"""Buckets and ids: the hosts of a site share a bucket, and every id begins with that of its host."""

from __future__ import annotations

import pytest
from xxhash import xxh3_64_digest, xxh3_128_digest

from weft.url import BUCKET_BYTES, ID_BYTES, bucket_of, url_id


def test_the_hosts_of_a_site_share_a_bucket() -> None:
    assert {bucket_of(host) for host in ("example.co.uk", "www.example.co.uk", "a.b.example.co.uk")} == {
        xxh3_64_digest(b"example.co.uk")[:BUCKET_BYTES]
    }
    assert bucket_of("a.github.io") != bucket_of("b.github.io")  # two owners


@pytest.mark.parametrize("host", ["192.0.2.7", "2001:db8::7", "localhost"])
def test_an_address_and_a_single_label_have_the_bucket_of_their_own_name(host: str) -> None:
    assert bucket_of(host) == xxh3_64_digest(host.encode())[:BUCKET_BYTES]


def test_hosts_are_spread_over_all_16_bits() -> None:
    buckets = [int.from_bytes(bucket_of(f"{number}.example"), "big") for number in range(2000)]
    assert len(set(buckets)) > 1900
    assert min(buckets) < 1000 < 64_500 < max(buckets)


def test_the_id_of_a_url_is_the_bucket_of_its_host_and_14_bytes_of_its_hash() -> None:
    url = "http://www.example.org:8080/a?b"
    assert url_id(url) == bucket_of("example.org") + xxh3_128_digest(url.encode())[:14]
    assert len(url_id(url)) == ID_BYTES
    assert url_id("http://example.org/a") != url_id("http://example.org/A")
    # As it lies on disk: another value would make all crawl folders unreadable.
    assert url_id("http://example.org/").hex() == "403713dab8d42ad2218070c0198247c2"


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://www.example.org/", "www.example.org"),
        ("http://[2001:db8::7]:81/x", "2001:db8::7"),
        ("ftp://ftp.example.org:2121/", "ftp.example.org"),
    ],
)
def test_an_id_is_the_same_whether_its_host_is_said_or_not(url: str, host: str) -> None:
    assert url_id(url, host) == url_id(url)
