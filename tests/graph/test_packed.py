"""The links of a page in the order of its row: the part in C and the one in Python are the same."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weft.graph.rows import packed, packed_in_python, parse, row

NODES = st.builds(lambda bucket, rest: bytes([0, bucket]) + rest, st.integers(0, 3), st.binary(min_size=6, max_size=6))
SAID = st.none() | st.builds(lambda mark, text: chr(mark) + text, st.integers(0, 255), st.text("aé日\0", max_size=4))


@settings(max_examples=200, deadline=None, database=None)
@given(st.lists(st.tuples(NODES, SAID), max_size=40))
def test_links_are_packed_alike_with_and_without_the_part_in_c(links: list[tuple[bytes, str | None]]) -> None:
    nodes, said = [node for node, _ in links], [one for _, one in links]
    assert packed(nodes, said) == packed_in_python(nodes, said)
    assert packed(nodes) == packed_in_python(nodes)


def test_each_link_keeps_what_it_says_and_of_two_to_one_node_the_first_counts() -> None:
    nodes = [bytes([0, 0, 0, 0, 0, 0, 0, number]) for number in (3, 1, 2, 1)]
    edges, marks, anchors = packed(nodes, ["\x06three", "\0one", None, "\x01again"])
    assert parse(row(0.0, edges))[1] == [1, 2, 3]
    assert marks == b"\0\0\x06"
    assert anchors == "one\n\nthree"


@pytest.mark.parametrize("count", [0, 1, 255, 256, 511])
def test_groups_have_at_most_255_links(count: int) -> None:
    nodes = [number.to_bytes(8, "big") for number in range(count)]
    assert parse(row(0.0, packed(nodes)[0]))[1] == list(range(count))
    assert packed(nodes) == packed_in_python(nodes)


@pytest.mark.parametrize(("nodes", "said"), [([bytes(8)], []), ([bytes(8), bytes(8)], ["\0"])])
def test_what_does_not_fit_is_refused(nodes: list[bytes], said: list[str | None]) -> None:
    with pytest.raises(ValueError, match=r"said|argument"):
        packed(nodes, said)
