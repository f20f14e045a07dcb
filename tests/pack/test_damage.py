"""A damaged pack is refused with the name of the file that differs, wherever the damage is."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from tests.scratch import scratch_folder
from weft.pack import DamagedPack, Trust, unpack, verify_folder, verify_pack
from weft.pack.names import MANIFEST

from .trees import packed_site, quietly, read_tree, write_tree


def named(path: Path) -> str:
    """The file that verifying a pack names; empty when all is well."""
    try:
        problems = verify_pack(path, Trust(), quietly).problems
    except DamagedPack as error:
        return error.file
    return problems[0].file if problems else ""


def places_of(path: Path) -> list[tuple[str, int, int]]:
    """Whose bytes lie where in a pack: from, to."""
    with zipfile.ZipFile(path) as package:
        infos = package.infolist()
        list_offset = package.start_dir
    starts = [info.header_offset for info in infos] + [list_offset]
    places = [(info.filename, start, end) for info, start, end in zip(infos, starts, starts[1:], strict=False)]
    offset = list_offset
    for info in infos:
        line_end = offset + 46 + len(info.filename.encode())
        places.append((info.filename, offset, line_end))
        offset = line_end
    return [*places, (path.name, offset, path.stat().st_size)]


def last_bytes_of_deflate(path: Path) -> set[int]:
    """Up to seven bits of each only fill the byte: no content depends on them."""
    with zipfile.ZipFile(path) as package:
        deflated = {info.filename for info in package.infolist() if info.compress_type == zipfile.ZIP_DEFLATED}
    members = places_of(path)[: len(places_of(path)) // 2]
    return {end - 1 for name, _, end in members if name in deflated}


@pytest.mark.parametrize("mask", [0x01, 0x20, 0xFF])
def test_each_flipped_byte_names_the_file_to_which_it_belongs(mask: int) -> None:
    with scratch_folder() as home:
        path = packed_site(home)
        whole = path.read_bytes()
        padded = last_bytes_of_deflate(path)
        wrong = []
        for name, start, end in places_of(path):
            for place in range(start, end):
                path.write_bytes(whole[:place] + bytes([whole[place] ^ mask]) + whole[place + 1 :])
                found = named(path)
                if found != name and not (found == "" and place in padded):
                    wrong.append((place, name, found))
        assert wrong == []
        path.write_bytes(whole)
        assert named(path) == ""


def test_a_pack_that_was_cut_anywhere_is_refused() -> None:
    with scratch_folder() as home:
        path = packed_site(home)
        whole = path.read_bytes()
        for length in range(len(whole)):
            path.write_bytes(whole[:length])
            assert named(path)


def test_bytes_that_nobody_lists_are_refused(tmp_path: Path) -> None:
    path = packed_site(tmp_path)
    whole = path.read_bytes()
    ends = {end for _, _, end in places_of(path)}
    for place in {0, *ends}:
        path.write_bytes(whole[:place] + b"hidden" + whole[place:])
        assert named(path)


def test_all_files_that_differ_are_told(tmp_path: Path) -> None:
    path = packed_site(tmp_path)
    content = bytearray(path.read_bytes())
    for name, _, end in places_of(path)[:3]:
        if name != "example.org/empty.txt":
            content[end - 3] ^= 0xFF
    path.write_bytes(content)
    problems = verify_pack(path, Trust(), quietly).problems
    assert [problem.file for problem in problems] == ["example.org/index.html", "example.org/logo.png"]


def test_nothing_is_unpacked_from_a_damaged_pack(tmp_path: Path) -> None:
    path = packed_site(tmp_path)
    content = bytearray(path.read_bytes())
    name, _, end = places_of(path)[4]  # the last file
    content[end - 1] ^= 1
    path.write_bytes(content)
    before = sorted(tmp_path.iterdir())
    with pytest.raises(DamagedPack, match=name):
        unpack(path, tmp_path / "out", Trust(), quietly)
    assert sorted(tmp_path.iterdir()) == before


def test_a_folder_with_a_changed_a_missing_or_another_file_is_refused_by_name(tmp_path: Path) -> None:
    path = packed_site(tmp_path)
    folder = tmp_path / "out"
    unpack(path, folder, Trust(), quietly)
    (folder / "example.org" / "logo.png").write_bytes(bytes(200))
    (folder / "example.org" / "empty.txt").unlink()
    write_tree(folder, {"example.org/a/new.html": b""})
    problems = {problem.file: problem.what for problem in verify_folder(folder, Trust(), quietly).problems}
    assert problems == {
        "example.org/a/new.html": "it is not in the manifest",
        "example.org/empty.txt": "it is missing",
        "example.org/logo.png": "its content differs from what the manifest says",
    }


def test_a_changed_manifest_does_not_fit_the_folder(tmp_path: Path) -> None:
    unpack(packed_site(tmp_path), tmp_path / "out", Trust(), quietly)
    manifest = tmp_path / "out" / MANIFEST
    text = manifest.read_bytes()
    start = text.index(b'"sha256":"') + 10
    manifest.write_bytes(text[:start] + (b"0" if text[start : start + 1] != b"0" else b"1") + text[start + 1 :])
    (problem,) = verify_folder(tmp_path / "out", Trust(), quietly).problems
    assert problem.file == min(read_tree(tmp_path / "out"))
    manifest.write_bytes(text[: text.rindex(b"\n", 0, -1) + 1])
    with pytest.raises(DamagedPack, match="sums"):
        verify_folder(tmp_path / "out", Trust(), quietly)
