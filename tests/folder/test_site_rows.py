"""The rows of `graph` and `links` read side by side."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from weft.folder.site_rows import has_links, links_of, site_rows, targets_of
from weft.graph.rows import edges_of, row
from weft.page.link_marks import NOFOLLOW, Place, kind_of, place_of, rel_of
from weft.state import State
from weft.types import LinkNotes, OutsideLink, PageFacts

IDS = [bytes([0, bucket, number]) + bytes(13) for bucket in (1, 2) for number in range(3)]
NODES = [one[:8] for one in IDS]
EDGES = row(0.0, edges_of(b"".join(reversed(IDS))))


def page(anchors: str, **others: object) -> LinkNotes:
    return msgspec.structs.replace(LinkNotes(bytes(range(len(IDS))), anchors), **others)


def test_each_link_has_its_own_mark_and_anchor() -> None:
    found = list(links_of(EDGES, page("a\nb\n\nd\n\nf")))
    assert found == list(zip(NODES, range(6), ["a", "b", "", "d", "", "f"], strict=True))


def test_links_without_marks_are_told_all_the_same() -> None:
    assert list(links_of(EDGES, LinkNotes())) == [(node, 0, "") for node in NODES]
    assert list(links_of(b"", LinkNotes())) == []
    assert targets_of(EDGES) == NODES


def test_a_row_of_either_family_alone_is_told_in_the_order_of_nodes(tmp_path: Path) -> None:
    said = page("\n" * 5, outside=[OutsideLink("http://x.test/", 0, "x")], facts=PageFacts(h1="One", h1s=1))
    with closing(State(tmp_path / "db")) as state:
        assert not has_links(state)
        batch = state.batch()
        for number in (0, 1, 4):
            batch.put("graph", NODES[number], EDGES)
        for number in (1, 2, 5):
            batch.put("links", NODES[number], msgspec.msgpack.encode(said))
        state.write(batch)
        assert has_links(state)
        assert list(site_rows(state)) == [
            (NODES[0], EDGES, LinkNotes()),
            (NODES[1], EDGES, said),
            (NODES[2], b"", said),
            (NODES[4], EDGES, LinkNotes()),
            (NODES[5], b"", said),
        ]


@pytest.mark.parametrize(
    ("mark", "place", "kind", "rel"),
    [
        (0, Place.ANCHOR, "link", ""),
        (Place.RELATION, Place.RELATION, "relation", ""),
        (Place.FRAME | NOFOLLOW, Place.FRAME, "frame", "nofollow"),
        (0b1111 << 3, Place.ANCHOR, "link", "nofollow ugc sponsored noopener"),
        (0xFF, Place.OTHER, "other", "nofollow ugc sponsored noopener"),
    ],
)
def test_a_mark_says_place_and_rel(mark: int, place: Place, kind: str, rel: str) -> None:
    assert (place_of(mark), kind_of(mark), rel_of(mark)) == (place, kind, rel)
