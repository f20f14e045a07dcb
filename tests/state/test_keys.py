"""Keys of rows: a bucket is one range in each family, and what went into a key comes out of it."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from weft.state import keys
from weft.url import bucket_of, url_id

hosts = st.from_regex(r"[a-z0-9-]{1,8}(\.[a-z]{2,4}){0,2}", fullmatch=True)
buckets = st.binary(min_size=2, max_size=2)


def is_in(key: bytes, start: bytes, stop: bytes | None) -> bool:
    return start <= key and (stop is None or key < stop)


def keys_of(host: str) -> list[bytes]:
    """A key of each family that has rows of hosts."""
    authority = f"https://{host}:8443"
    id_ = url_id(f"{authority}/", host)
    return [
        id_,
        keys.host_key(host),
        keys.authority_key(authority),
        keys.host_prefix(host) + id_,
        keys.authority_prefix(authority) + id_,
        keys.rule_key(host, "pattern", "*.pdf"),
        keys.queue_key(keys.lane_prefix(host, 3), 7, 1),
    ]


@settings(max_examples=200, deadline=None, derandomize=True)
@given(hosts, buckets)
def test_the_rows_of_a_bucket_are_one_range_of_their_family(host: str, other: bytes) -> None:
    own = bucket_of(host)
    for key in keys_of(host):
        assert is_in(key, *keys.bucket_range(own))
        assert is_in(key, *keys.bucket_range(other)) == (own == other)
        assert is_in(b"k" + key, *keys.bucket_range(own, b"k"))
        assert is_in(b"k" + key, *keys.bucket_range(other, b"k")) == (own == other)


def test_the_last_bucket_reaches_to_the_end_of_its_family_but_not_beyond_its_letter() -> None:
    assert keys.bucket_range(b"\xff\xff") == (b"\xff\xff", None)
    assert keys.bucket_range(b"\xff\xff", b"k") == (b"k\xff\xff", b"l\0\0")
    assert keys.bucket_range(b"\0\xff") == (b"\0\xff", b"\1\0")


@settings(max_examples=200, deadline=None, derandomize=True)
@given(hosts)
def test_what_went_into_a_key_comes_out_of_it(host: str) -> None:
    authority = f"http://{host}:81"
    assert keys.host_of_key(keys.host_key(host)) == host
    assert keys.authority_of_prefix(keys.authority_prefix(authority)) == authority
    assert keys.rule_of_key(keys.rule_key(host, "pattern", "a\0b")) == (host, "pattern", "a\0b")
    assert keys.host_of_queue_key(keys.queue_key(keys.lane_prefix(host, 2), 1, 2)) == host


def test_an_ipv6_address_has_its_bucket_wherever_it_stands() -> None:
    authority = "http://[2001:db8::7]:81"
    assert {key[:2] for key in (keys.authority_key(authority), keys.authority_prefix(authority))} == {
        bucket_of("2001:db8::7")
    }


@settings(max_examples=200, deadline=None, derandomize=True)
@given(hosts, st.binary(min_size=16, max_size=16))
def test_what_begins_with_a_prefix_lies_before_its_end_and_nothing_else_does(host: str, id_: bytes) -> None:
    prefix = keys.authority_prefix(f"http://{host}")
    assert prefix <= prefix + id_ < keys.end_of(prefix)
    assert not prefix <= keys.authority_prefix(f"http://{host}:81") + id_ < keys.end_of(prefix)
