"""A page's row in the link graph: what goes in comes out, in at most 8 bytes a link of a site."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.errors import FolderError
from weft.graph.rows import edges_of, key_of, node_of, parse, row
from weft.url import ID_BYTES, url_id

IDS = st.lists(st.binary(min_size=ID_BYTES, max_size=ID_BYTES), max_size=50)
FEW_BUCKETS = st.lists(
    st.builds(lambda bucket, rest: bytes((0, bucket)) + rest, st.integers(0, 2), st.binary(min_size=14, max_size=14)),
    max_size=50,
)


@given(st.floats(allow_nan=False), IDS | FEW_BUCKETS)
def test_a_row_has_head_and_links_again_each_once_and_in_order(head: float, ids: list[bytes]) -> None:
    assert parse(row(head, edges_of(b"".join(ids)))) == (head, sorted({node_of(one) for one in ids}))


@given(IDS)
def test_a_row_is_the_same_in_whatever_order_and_how_often_links_are_found(ids: list[bytes]) -> None:
    assert edges_of(b"".join(ids)) == edges_of(b"".join([*reversed(ids), *ids]))


def test_a_row_without_links_is_its_head() -> None:
    assert edges_of(b"") == b""
    assert parse(row(0.25, b"")) == (0.25, [])


def test_the_bucket_of_a_site_is_said_once() -> None:
    ids = b"".join(url_id(f"http://a.test/{number}") for number in range(100))
    assert len(edges_of(ids)) == 2 + 1 + 100 * 6


@pytest.mark.parametrize("links", [254, 255, 256, 510, 511, 2_000])
def test_a_page_may_have_any_number_of_links_to_a_site(links: int) -> None:
    ids = [url_id(f"http://a.test/{number}") for number in range(links)]
    edges = edges_of(b"".join(ids))
    assert parse(row(0.0, edges)) == (0.0, sorted(map(node_of, ids)))
    assert len(edges) == -(-links // 255) * 3 + links * 6


def test_a_node_is_the_beginning_of_a_url_id() -> None:
    whole = url_id("http://a.test/")
    assert key_of(node_of(whole)) == whole[:8]


@pytest.mark.parametrize("left_bytes", [1, 2, 3, 4, 8, 9, 10, 17])
def test_a_row_that_was_cut_off_is_said_to_be_damaged(left_bytes: int) -> None:
    value = row(0.0, edges_of(bytes(ID_BYTES) + b"\1" * ID_BYTES)[:left_bytes])
    if left_bytes == 9:
        assert parse(value) == (0.0, [0]), "a group ends here"
        return
    with pytest.raises(FolderError, match="damaged"):
        parse(value)
