"""Folders as FTP servers list them, the page that is made of one, and what a name in a URL asks for."""

from __future__ import annotations

from urllib.parse import unquote_to_bytes

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cpu_time import least_cpu_s
from weft.fetch.ftp.answer import FtpPath, http_date, path_asked
from weft.fetch.ftp.listing import Entry, listing_page, read_list, read_mlsd
from weft.fetch.ftp.media import media_type_of
from weft.parse import parse_html
from weft.url import split


@pytest.mark.parametrize(
    ("line", "entry"),
    [
        (b"-rw-r--r--    1 0        0               6 Nov 15 14:58 a.txt", Entry(b"a.txt", False, 6)),
        (b"-rw-r--r--+   1 me       users 12345678901 Feb  3  2019 b c  d", Entry(b"b c  d", False, 12345678901)),
        (b"drwxr-xr-x    2 me users 4096 Nov  1 09:05 sub", Entry(b"sub", True, None)),
        (b"drwxr-sr-t. 10 ftp 4096 Jan 31 2020 no-group", Entry(b"no-group", True, None)),
        (b"lrwxrwxrwx 1 me users 3 Nov 15 14:58 link -> sub/x -> y", Entry(b"link", False, None)),
        (b"-rw-r--r-- 1 me 1000 512 15 Nov 2020 day-first", Entry(b"day-first", False, 512)),
        (b"-rw-r--r-- 1 me users 0 Nov 15 14:58  leading", Entry(b" leading", False, 0)),
        (b"-rw-r--r-- 1 me users 0 Nov 15 14:58 \xe9t\xe9", Entry(b"\xe9t\xe9", False, 0)),
        (b"11-15-26  02:58PM       <DIR>          Sub Folder", Entry(b"Sub Folder", True, None)),
        (b"11-15-2026  14:58              1234 a.txt", Entry(b"a.txt", False, 1234)),
        (b"11-15-26  02:58 am 1234 a.txt", Entry(b"a.txt", False, 1234)),
    ],
)
def test_a_line_of_list(line: bytes, entry: Entry) -> None:
    assert read_list(b"total 12\r\n" + line + b"\r\n") == [entry]


def test_lines_that_say_nothing_or_lead_elsewhere_are_passed_over() -> None:
    names = (b".", b"..", b"", b"../up", b"a/b", b"nul\0")
    lines = [b"total 3", b"", b"what is this?"]
    lines += [b"drwxr-xr-x 2 me users 4096 Nov  1 09:05 " + name for name in names]
    assert read_list(b"\r\n".join(lines)) == []
    assert read_mlsd(b"".join(b"type=dir; %b\r\n" % name for name in names)) == []


def test_mlsd_tells_files_from_folders_and_leaves_out_the_folder_itself() -> None:
    listing = (
        b"type=cdir;modify=20261115145837; /pub\r\ntype=pdir; ..\r\n"
        b"Type=file;Size=6;Modify=20261115145837; b c.txt\r\ntype=OS.unix=symlink;size=3; link\r\n"
        b"modify=20261115145837;type=dir;perm=el; a\r\n"
    )
    assert read_mlsd(listing) == [
        Entry(b"a", True, None),
        Entry(b"b c.txt", False, 6),
        Entry(b"link", False, None),
    ]


@given(st.binary(max_size=300))
def test_any_bytes_can_be_listings(listing: bytes) -> None:
    for entry in read_list(listing) + read_mlsd(listing):
        assert b"/" not in entry.name


@pytest.mark.parametrize(
    ("start", "piece"),
    [
        (b"01-01-20 12:00", b" "),
        (b"01-01-20 12:00PM", b" "),
        (b"01-01-20 12:00 1", b"1"),
        (b"01-01-20", b" "),
        (b"-rw-r--r--", b" "),
        (b"-rw-r--r-- 1 ", b"1"),
        (b"-rw-r--r-- 1 ", b"1 "),
        (b"-rw-r--r-- 1 me 1", b" "),
        (b"-rw-r--r-- 1 me 1 Nov 15", b" "),
        (b"", b";size="),
        (b"", b" "),
    ],
)
def test_a_line_takes_time_by_its_length(start: bytes, piece: bytes) -> None:
    few, many = 4_000 // len(piece), 64_000 // len(piece)
    assert _cost_s(start + piece * many + b"!") < 16 * 4 * max(_cost_s(start + piece * few + b"!"), 0.0005)


def _cost_s(line: bytes) -> float:
    return least_cpu_s(lambda: (read_list(line), read_mlsd(line)))


@pytest.mark.parametrize("size", [b"9" * 19, b"9" * 5_000])
def test_a_size_that_no_file_has_is_none(size: bytes) -> None:
    entries = [Entry(b"a.txt", False, None)]
    assert read_list(b"-rw-r--r-- 1 me users %b Nov 15 14:58 a.txt\r\n" % size) == entries
    assert read_list(b"11-15-2026  14:58  %b a.txt\r\n" % size) == entries
    assert read_mlsd(b"type=file;size=%b;modify=%b; a.txt\r\n" % (size, size)) == entries


NAMES = st.binary(min_size=1, max_size=20).filter(
    lambda name: name not in (b".", b"..") and not any(byte in name for byte in b"/\0\r\n")
)


@given(st.dictionaries(NAMES, st.booleans(), max_size=5))
def test_each_link_of_the_page_leads_back_to_the_bytes_of_its_name(folders: dict[bytes, bool]) -> None:
    entries = [Entry(name, is_folder, None) for name, is_folder in sorted(folders.items())]
    base = "ftp://files.test/pub/"
    page = parse_html(listing_page("/pub/", entries), base, "text/html; charset=utf-8")
    urls = [url for url, _, _ in page.leads(1, embeds=False, nofollow=True)]
    # A name of dots, however it is written, is not a folder's own name to a URL.
    plain = [entry for entry in entries if set(entry.name) != {ord(".")}]
    found = {unquote_to_bytes(split(url).path) for url in urls}
    assert {b"/pub/" + entry.name + b"/" * entry.is_folder for entry in plain} <= found
    for entry in plain:
        path = "/pub/" + "".join(f"%{byte:02X}" for byte in entry.name)
        if b";type=" not in entry.name.lower():
            assert path_asked(path + "/" * entry.is_folder) == FtpPath(b"pub/" + entry.name, entry.is_folder)


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("/", FtpPath(b"", True)),
        ("/pub/", FtpPath(b"pub", True)),
        ("/pub/a%20b.txt", FtpPath(b"pub/a b.txt", False)),
        ("/%2Fetc/motd", FtpPath(b"/etc/motd", False)),
        ("/%2F", FtpPath(b"/", True)),
        ("/a.txt;type=i", FtpPath(b"a.txt", False)),
        ("/pub;type=d", FtpPath(b"pub", True)),
        ("/what?.txt", FtpPath(b"what?.txt", False)),
        ("/a%0D%0ADELE%20b", None),
        ("/a%00", None),
    ],
)
def test_the_path_of_a_url_names_a_file_or_a_folder(path: str, place: FtpPath | None) -> None:
    assert path_asked(path) == place


def test_paths_begin_where_the_server_puts_a_visitor_unless_they_begin_at_the_root() -> None:
    assert FtpPath(b"pub/a", False).path_from(b"/home/me") == b"/home/me/pub/a"
    assert FtpPath(b"a", False).path_from(b"/") == b"/a"
    assert FtpPath(b"/etc/motd", False).path_from(b"/home/me") == b"/etc/motd"


@pytest.mark.parametrize(
    ("name", "first_bytes", "media_type"),
    [
        ("a.html", b"", "text/html"),
        ("a.TXT", b"\0\0", "text/plain"),
        ("a.tar.gz", b"", "application/gzip"),
        ("a.png", b"<html>", "image/png"),
        ("README", b"Read me first\n", "text/plain"),
        ("README", b"\xc3\xa4\xe9 in some charset", "text/plain"),
        ("page", b"\n<!DOCTYPE html><p>", "text/html"),
        ("report", b"%PDF-1.4", "application/pdf"),
        ("core", b"\x7fELF\x02\x01\x01\x00", "application/octet-stream"),
        ("what?.pdf", b"", "application/pdf"),
        ("", b"", "text/plain"),
    ],
)
def test_what_a_file_is_by_its_name_or_else_its_first_bytes(name: str, first_bytes: bytes, media_type: str) -> None:
    assert media_type_of(name, first_bytes) == media_type


def test_times_are_written_as_http_does_and_nonsense_is_left_out() -> None:
    assert http_date(b"20261115145837") == b"Sun, 15 Nov 2026 14:58:37 GMT"
    assert http_date(b"99999999999999") == b""
    assert http_date(b"2026") == b""
