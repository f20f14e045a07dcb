"""Packs of changes: what is in them, and that they bring a folder from one state to the other."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.scratch import scratch_folder
from weft.errors import BadInput, FolderError
from weft.pack import DamagedPack, Trust, unpack, verify_folder, verify_pack
from weft.pack.names import MANIFEST
from weft.pack.names import Tree as NameTree

from .trees import SITE, Tree, pack, quietly, read_tree, unpacked, write_tree

LATER: Tree = {
    "example.org/index.html": b"changed",
    "example.org/logo.png": SITE["example.org/logo.png"],
    "example.org/ü/日本.html": b"<q>",  # as long as it was
    "example.org/new/page.html": b"new",
    "example.org@8080/a.css": SITE["example.org@8080/a.css"],
}
NAMES = st.sampled_from(["a", "b", "é", "index.html", "x.png"])
PATHS = st.lists(NAMES, min_size=1, max_size=3).map("/".join)


def is_possible(tree: Tree) -> bool:
    """Whether no file is a folder as well."""
    names = NameTree()
    return not any(names.refusal_of(path) for path in sorted(tree))


TREES = st.dictionaries(PATHS, st.binary(max_size=3), max_size=8).filter(is_possible)


def packs(home: Path, *trees: Tree) -> list[Path]:
    """The first state as a whole pack, each later one as changes to the one before."""
    made: list[Path] = []
    for number, tree in enumerate(trees):
        out = home / f"{number}.zip"
        pack(write_tree(home / f"tree-{number}", tree), out, since=made[-1] if made else None)
        made.append(out)
    return made


@settings(max_examples=60, deadline=None)
@given(before=TREES, after=TREES, last=TREES)
def test_changes_bring_a_folder_from_any_state_to_any_other(before: Tree, after: Tree, last: Tree) -> None:
    with scratch_folder() as home:
        first, *changes = packs(home, before, after, last)
        assert unpacked(first, home / "out") == before
        for pack_of_changes, tree in zip(changes, (after, last), strict=True):
            assert unpacked(pack_of_changes, home / "out") == tree
            assert verify_folder(home / "out", Trust(), quietly).is_sound
        held = [path for path in last if after.get(path) != last[path]]
        with zipfile.ZipFile(changes[-1]) as package:
            assert package.namelist() == [*sorted(held), MANIFEST]
        folders = {path for path in (home / "out").rglob("*") if path.is_dir()}
        assert all(any(folder.iterdir()) for folder in folders), "no folder stays behind empty"


def test_changes_are_counted(tmp_path: Path) -> None:
    _, changes = packs(tmp_path, SITE, LATER)
    header = verify_pack(changes, Trust(), quietly).header
    assert (header.new, header.changed, header.removed) == (1, 2, 1)
    assert (header.files, header.packed_files) == (5, 3)


def test_a_pack_of_no_changes_is_a_pack(tmp_path: Path) -> None:
    first, changes = packs(tmp_path, SITE, SITE)
    unpack(first, tmp_path / "out", Trust(), quietly)
    assert unpacked(changes, tmp_path / "out") == SITE


def test_the_manifest_of_an_earlier_pack_will_do_for_it(tmp_path: Path) -> None:
    first, changes = packs(tmp_path, SITE, LATER)
    unpack(first, tmp_path / "out", Trust(), quietly)
    kept = tmp_path / "kept.jsonl"
    kept.write_bytes((tmp_path / "out" / MANIFEST).read_bytes())
    pack(tmp_path / "tree-1", tmp_path / "by-manifest.zip", since=kept)
    assert unpacked(tmp_path / "by-manifest.zip", tmp_path / "out") == LATER
    with zipfile.ZipFile(changes) as one, zipfile.ZipFile(tmp_path / "by-manifest.zip") as other:
        assert one.namelist() == other.namelist()


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("example.org/logo.png", b"other"),
        ("example.org/index.html", b"other"),
        ("example.org/empty.txt", None),
        ("example.org/new/page.html", b"there already"),
        ("example.org/mine.txt", b"mine"),
    ],
)
def test_a_folder_in_another_state_is_refused_by_name_and_left_alone(
    path: str, content: bytes | None, tmp_path: Path
) -> None:
    first, changes = packs(tmp_path, SITE, LATER)
    folder = tmp_path / "out"
    unpack(first, folder, Trust(), quietly)
    if content is None:
        (folder / path).unlink()
    else:
        write_tree(folder, {path: content})
    before = read_tree(folder)
    with pytest.raises(FolderError, match=path):
        unpack(changes, folder, Trust(), quietly)
    assert read_tree(folder) == before
    assert [one.name for one in (folder / ".weft").iterdir()] == ["manifest.jsonl"]


def test_a_damaged_pack_of_changes_changes_nothing(tmp_path: Path) -> None:
    first, changes = packs(tmp_path, SITE, LATER)
    unpack(first, tmp_path / "out", Trust(), quietly)
    content = changes.read_bytes()
    changes.write_bytes(content.replace(b"<q>", b"<Q>"))  # short, but deflated: its bits lie elsewhere
    if changes.read_bytes() == content:
        place = content.index("日本.html".encode()) + len("日本.html".encode()) + 1
        changes.write_bytes(content[:place] + bytes([content[place] ^ 0xFF]) + content[place + 1 :])
    with pytest.raises(DamagedPack, match="日本"):
        unpack(changes, tmp_path / "out", Trust(), quietly)
    assert read_tree(tmp_path / "out") == SITE
    assert [one.name for one in (tmp_path / "out" / ".weft").iterdir()] == ["manifest.jsonl"]


def test_changes_are_not_unpacked_twice_nor_into_nothing(tmp_path: Path) -> None:
    first, changes = packs(tmp_path, SITE, LATER)
    with pytest.raises(FolderError, match="earlier pack first"):
        unpack(changes, tmp_path / "out", Trust(), quietly)
    unpack(first, tmp_path / "out", Trust(), quietly)
    unpack(changes, tmp_path / "out", Trust(), quietly)
    with pytest.raises(BadInput, match="already"):
        unpack(changes, tmp_path / "out", Trust(), quietly)


def test_a_damaged_earlier_pack_is_refused(tmp_path: Path) -> None:
    (first,) = packs(tmp_path, SITE)
    first.write_bytes(first.read_bytes()[:-1])
    with pytest.raises(DamagedPack, match=r"0\.zip"):
        pack(write_tree(tmp_path / "later", LATER), tmp_path / "out.zip", since=first)
    assert not (tmp_path / "out.zip").exists()
