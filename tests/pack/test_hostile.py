"""Packs that somebody made with bad intent: each is refused by name, and nothing is written anywhere."""

from __future__ import annotations

import hashlib
import io
import struct
import tracemalloc
import zlib
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest

from weft.pack import DamagedPack, Trust, unpack, verify_pack
from weft.pack.manifest import Entry, Header, line_of
from weft.pack.names import MANIFEST
from weft.pack.reader import PackReader
from weft.pack.writer import ZipWriter
from weft.pack.zip_format import DEFLATED, End, Member, central_header, end_of_zip, local_header

from .trees import packed_site, quietly

MIB = 1024 * 1024
HEADER = Header(
    weft_pack=1, made_at="2026-01-01T00:00:00Z", made_by="nobody", files=0, bytes=0, packed_files=0, packed_bytes=0
)


def entry(path: str, content: bytes = b"x") -> Entry:
    return Entry(path, len(content), hashlib.sha256(content).hexdigest())


def manifest_of(entries: Sequence[Entry]) -> bytes:
    size_bytes = sum(one.bytes for one in entries)
    header = msgspec.structs.replace(HEADER, files=len(entries), bytes=size_bytes)
    return line_of(header) + b"".join(map(line_of, entries))


def forge(home: Path, members: Sequence[tuple[str, bytes]], entries: Sequence[Entry] | bytes) -> Path:
    """A zip of these members and a manifest that says whatever it says."""
    manifest = entries if isinstance(entries, bytes) else manifest_of(entries)
    path = home / "forged.zip"
    with path.open("w+b") as out:
        writer = ZipWriter(out, home)
        for name, content in [*members, (MANIFEST, manifest)]:
            writer.add(name, io.BytesIO(content), len(content), is_packed=True, advance=quietly)
        writer.finish()
        writer.close()
    return path


def damage_in(path: Path) -> DamagedPack:
    """The first that `weft verify` finds."""
    try:
        problem = verify_pack(path, Trust(), quietly).problems[0]
    except DamagedPack as error:
        return error
    return DamagedPack(problem.file, problem.what)


def assert_refused(path: Path, file: str) -> DamagedPack:
    """By `weft verify` and by `weft unpack`, which leaves nothing behind."""
    refused = damage_in(path)
    assert refused.file == file
    before = sorted(path.parent.rglob("*"))
    with pytest.raises(DamagedPack) as again:
        unpack(path, path.parent / "out", Trust(), quietly)
    assert again.value.file == file
    assert sorted(path.parent.rglob("*")) == before
    return refused


def test_what_is_forged_well_is_accepted(tmp_path: Path) -> None:
    path = forge(tmp_path, [("a/x", b"x"), ("b", b"")], [entry("a/x"), entry("b", b"")])
    assert verify_pack(path, Trust(), quietly).is_sound


@pytest.mark.parametrize(
    "name",
    [
        "../evil",
        "a/../../evil",
        "/tmp/evil",
        "C:/evil",
        "a\\..\\evil",
        "a//evil",
        "./evil",
        "evil/",
        "con",
        "a/lpt1.txt",
        ".weft/evil",
        ".Weft/evil",
    ],
)
def test_a_name_that_leads_elsewhere_is_refused(name: str, tmp_path: Path) -> None:
    assert "may not be in a pack" in assert_refused(forge(tmp_path, [(name, b"x")], [entry(name)]), name).what


def test_a_name_of_control_characters_is_shown_without_them(tmp_path: Path) -> None:
    assert_refused(forge(tmp_path, [("a\x1b[2J", b"x")], [entry("a\x1b[2J")]), "'a\\x1b[2J'")


@pytest.mark.parametrize("names", [["A", "a"], ["a", "a/b"], ["É/x", "é/y"]])
def test_names_that_some_system_takes_for_one_are_refused(names: list[str], tmp_path: Path) -> None:
    path = forge(tmp_path, [(name, b"x") for name in names], [entry(name) for name in names])
    assert "for the same" in assert_refused(path, names[1]).what


@pytest.mark.parametrize("names", [["a", "a"], ["b", "a"]])
def test_a_manifest_out_of_order_or_with_a_file_twice_is_refused(names: list[str], tmp_path: Path) -> None:
    path = forge(tmp_path, [(name, b"x") for name in names], [entry(name) for name in names])
    assert "twice, or out of order" in assert_refused(path, "a").what


def test_a_file_that_the_manifest_does_not_know_is_refused(tmp_path: Path) -> None:
    for extra in ("a", "m", "z"):
        members = sorted([("b", b"x"), ("n", b"x"), (extra, b"evil")])
        path = forge(tmp_path, members, [entry("b"), entry("n")])
        assert "not in its manifest" in assert_refused(path, extra).what


def test_a_file_that_the_pack_does_not_hold_is_told(tmp_path: Path) -> None:
    for missing in ("a", "m", "z"):
        entries = sorted([entry("b"), entry("n"), entry(missing)], key=lambda one: one.path)
        path = forge(tmp_path, [("b", b"x"), ("n", b"x")], entries)
        assert "not in the pack" in assert_refused(path, missing).what


def test_another_length_or_content_than_the_manifest_says_is_refused(tmp_path: Path) -> None:
    assert_refused(forge(tmp_path, [("a", b"xx")], [entry("a")]), "a")
    assert_refused(forge(tmp_path, [("a", b"y")], [entry("a")]), "a")


def test_content_that_unpacks_to_more_than_it_says_is_left_at_once(tmp_path: Path) -> None:
    bomb = zlib.compress(bytes(200_000_000), wbits=-15)
    manifest = manifest_of([entry("a", b"x" * 200_000)])
    out = io.BytesIO()
    members = []
    for name, packed, size, method in (("a", bomb, 200_000, DEFLATED), (MANIFEST, manifest, len(manifest), 0)):
        member = Member(name, method, zlib.crc32(packed), len(packed), size, out.tell())
        members.append(member)
        out.write(local_header(member) + packed)
    listed = b"".join(map(central_header, members))
    path = tmp_path / "bomb.zip"
    path.write_bytes(out.getvalue() + listed + end_of_zip(End(2, len(listed), out.tell())))
    tracemalloc.start()
    try:
        assert_refused(path, "a")
        assert tracemalloc.get_traced_memory()[1] < 5_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    "manifest",
    [
        b"",
        b"{}\n",
        b"[" * 100_000,
        b'{"weft_pack": "one"}\n',
        b"\xff\n",
        line_of(HEADER)[:-1],
        line_of(HEADER) + b"x" * 1_000_000,
        line_of(HEADER) + b'{"path": "a", "sha256": "zz"}\n',
        line_of(HEADER) + b'{"path": "a", "bytes": -1}\n',
        line_of(HEADER) + b'{"path": 1}\n',
        line_of(HEADER) + b'{"path": "a\\ud800"}\n',
        line_of(HEADER) + b"\n",
    ],
)
def test_a_manifest_that_cannot_be_read_is_refused(manifest: bytes, tmp_path: Path) -> None:
    if manifest == line_of(HEADER)[:-1]:
        assert verify_pack(forge(tmp_path, [], manifest), Trust(), quietly).is_sound  # nothing is missing
    else:
        assert_refused(forge(tmp_path, [], manifest), MANIFEST)


def test_a_manifest_of_another_version_is_refused_in_words(tmp_path: Path) -> None:
    path = forge(tmp_path, [], b'{"weft_pack": 2, "all": "different"}\n')
    assert "version 2" in assert_refused(path, MANIFEST).what


def test_nothing_may_stand_behind_the_manifest(tmp_path: Path) -> None:
    path = forge(tmp_path, [(MANIFEST, b"")], [])
    assert_refused(path, MANIFEST)
    path = forge(tmp_path, [(MANIFEST, manifest_of([entry("z")])), ("z", b"x")], [])
    assert_refused(path, "z")


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (38, struct.pack("<I", 0o120777 << 16)),  # a symbolic link
        (38, struct.pack("<I", 0o020666 << 16)),  # a device
        (38, struct.pack("<I", 0o104755 << 16)),  # runs as its owner
        (8, struct.pack("<H", 0x801)),  # encrypted
        (10, struct.pack("<H", 12)),  # another way of packing
    ],
)
def test_a_member_that_is_no_plain_file_is_refused(place: int, value: bytes, tmp_path: Path) -> None:
    path = packed_site(tmp_path)
    content = bytearray(path.read_bytes())
    start = content.index(b"PK\1\2") + place
    content[start : start + len(value)] = value
    path.write_bytes(content)
    assert_refused(path, "example.org/empty.txt")


def test_manifest_that_is_a_bomb_is_refused_before_anything_of_it_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = forge(tmp_path, [], bytes(64 * MIB))
    monkeypatch.setattr(PackReader, "_content", lambda *_: pytest.fail("it is read"))
    with pytest.raises(DamagedPack, match="more than a list of files can") as caught:
        unpack(path, tmp_path / "out", Trust(), advance=quietly)
    assert caught.value.file == MANIFEST
    assert not (tmp_path / "out").exists()


def test_manifest_of_many_equal_files_is_no_bomb(tmp_path: Path) -> None:
    entries = [entry(f"site/{number:06}.txt", b"") for number in range(20_000)]
    path = forge(tmp_path, [], entries)
    assert "in the manifest but not in the pack" in str(damage_in(path))
