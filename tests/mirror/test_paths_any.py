"""Any URL, any media type: what holds for each path that is given. The rules are written down here a second time."""

from __future__ import annotations

import re
from itertools import islice
from pathlib import Path
from unicodedata import normalize
from urllib.parse import quote, unquote, urljoin

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzz.properties import mixed_bytes, mixed_text
from weft.errors import BadUrl
from weft.mirror.paths import Paths, RowsInMemory, relative_link, wanted_path
from weft.url import canonicalize

DOCUMENTATION = Path("/usr/share/doc")
DEVICES = {"CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"} | {
    f"{d}{n}" for d in ("COM", "LPT") for n in "0123456789¹²³"
}

HOST_PIECES = (
    "h",
    "H",
    "example.org",
    ".weft",
    "weft~1",
    "con",
    "aux.",
    "xn--",
    "é",
    "[::1]",
    ":8080",
    ".",
    "-",
    "*",
    "x" * 80,
)
PIECES = (
    "/", "//", "\\", ".", "..", "...", "%2e", "%2E%2e", "%2f", "%5C", "%00", "..;", "?", "#", ":", "*", "|", "<", '"',
    " ", "%20", "%", "%25", "%41", "a", "A", "b", "index", ".html", ".HTML", ".php", ".png", ".weft", "weft~1", "con",
    "NUL", "Aux.", "com1", "lpt%C2%B9", "é", "É", "e\u0301", "\u0301", "ß", "ss", "ſ", "%C4%E3", "%ff", "\u202e",
    "\u200d", "😀", "你好", "\xa0", "@", "=", "&", "+", "~1", "-", "x" * 60, "ß" * 70, "😀" * 60, "%3A" * 40, "d/" * 40,
)  # fmt: skip
MEDIA_TYPES = (
    "", "text/html", "text/plain", "image/png", "image/svg+xml", "application/octet-stream", "application/xhtml+xml",
    "text/css", "x/y", "application/zip", "application/json",
)  # fmt: skip
BYTES = (b"<!doctype html>", b"\x89PNG\r\n\x1a\n", b"%PDF-", b"PK\3\4", b"\0\0\0\x18ftyp", b"<svg ", b"GIF89a")
HEADERS = (
    b"attachment",
    b"inline",
    b";",
    b"filename",
    b"filename*",
    b"=",
    b'"',
    b"UTF-8''",
    b"..",
    b"/",
    b"\\",
    b"%2f",
    b"con",
)


def canonical(text: str) -> str | None:
    try:
        return canonicalize(text)
    except BadUrl:
        return None


urls = (
    st.builds(
        lambda scheme, host, rest: canonical(f"{scheme}://{host}/{rest}"),
        st.sampled_from(["http", "https"]),
        mixed_text(HOST_PIECES, 3),
        mixed_text(PIECES),
    )
    .filter(lambda url: url is not None)
    .map(str)
)
# Few hosts and few letters, so that many want the same.
close_urls = st.lists(
    st.sampled_from(
        ["a", "A", "%61", "a.html", "A.HTML", "a/", "A/", "index.html", "?", "e%CC%81", "%C3%89", "%C3%9F", "SS", "/"]
    ),
    max_size=4,
).map(lambda parts: canonicalize("http://h/" + "".join(parts)))


def faults(path: str) -> list[str]:
    """What is wrong with a path on Windows, macOS or Linux, or for weft."""
    names = path.split("/")
    found = []
    for name in names:
        if not name or name.startswith((".", " ")):
            found.append("leads elsewhere or hides")
        if re.search(r'[<>:"|?*\\\x00-\x1f\x7f]', name) or not name.isprintable():
            found.append("has what Windows forbids, or what is not seen")
        if name.endswith((".", " ")):
            found.append("Windows drops its end")
        if name.split(".")[0].rstrip(" ").upper() in DEVICES:
            found.append("is a device")
        if len(name.encode()) > 240:
            found.append("is too long a name")
    if normalize("NFC", path) != path:
        found.append("is not NFC")
    if len(path.encode("utf-16-le")) > 2 * 200:
        found.append("is too long a path")
    if len(names) < 2:
        found.append("has no host")
    if re.match(r"\.?weft(~|$)", names[0], re.IGNORECASE):
        found.append("is weft's own")
    return found


def told_apart_by_any_system(paths: list[str]) -> bool:
    """Whether no two files are one, and none is another's folder, where case and Unicode's forms do not count."""
    files = [normalize("NFC", normalize("NFC", path).casefold()) for path in paths]
    folders = {path[:at] for path in files for at, c in enumerate(path) if c == "/"}
    return len(set(files)) == len(files) and not folders & set(files)


@settings(max_examples=200, deadline=None, database=None)
@given(urls, st.sampled_from(MEDIA_TYPES), mixed_bytes(BYTES, 3), st.none() | mixed_bytes(HEADERS, 10))
def test_any_url_wants_a_path_that_every_system_takes(
    url: str, media_type: str, body: bytes, header: bytes | None
) -> None:
    path = wanted_path(url, media_type, body, header)
    assert faults(path) == []
    assert wanted_path(url, media_type, body, header) == path


@settings(max_examples=200, deadline=None, database=None)
@given(st.lists(st.tuples(urls | close_urls, st.sampled_from(MEDIA_TYPES)), max_size=12))
def test_no_two_urls_get_paths_that_some_system_mixes_up(wishes: list[tuple[str, str]]) -> None:
    paths = Paths(RowsInMemory())
    placed = {url: paths.place(url, wanted_path(url, media_type)) for url, media_type in wishes}
    assert told_apart_by_any_system(list(placed.values()))
    assert [path for path in placed.values() if faults(path)] == []
    assert all(paths.known(url) == path for url, path in placed.items())


@settings(max_examples=200, deadline=None, database=None)
@given(st.lists(st.tuples(close_urls, st.sampled_from(["text/html", "x/y"])), max_size=30))
def test_urls_that_want_the_same_are_told_apart(wishes: list[tuple[str, str]]) -> None:
    paths = Paths(RowsInMemory())
    placed = {url: paths.place(url, wanted_path(url, media_type)) for url, media_type in wishes}
    assert told_apart_by_any_system(list(placed.values()))
    folders = {path.rpartition("/")[0] for path in placed.values()}
    assert told_apart_by_any_system([f"{folder}/" for folder in folders])  # no folder is written in two ways


@settings(max_examples=200, deadline=None, database=None)
@given(urls | close_urls, urls | close_urls, mixed_text(("a", "%41", "é", " ", "'", "(", "&", "#", "?", "/")))
def test_a_link_leads_back_to_the_file(here: str, there: str, fragment: str) -> None:
    from_path, to_path = wanted_path(here, "text/html"), wanted_path(there, "image/png")
    link = relative_link(from_path, to_path, fragment)
    address, _, _ = link.partition("#")
    assert re.fullmatch(r"(?:[A-Za-z0-9._~/@=-]|%[0-9A-F]{2})*", address)
    assert link.isascii()
    assert unquote(canonicalize(link, f"http://m/{quote(from_path)}")) == f"http://m/{to_path}"
    assert unquote(urljoin(f"file:///m/{quote(from_path)}", address)) == f"file:///m/{to_path}"


@pytest.mark.skipif(not DOCUMENTATION.is_dir(), reason="no documentation is installed")
def test_real_links_become_files_that_can_be_written_and_found(tmp_path: Path) -> None:
    paths = Paths(RowsInMemory())
    placed: dict[str, str] = {}
    for url in real_links(3_000):
        media_type = "text/html" if re.search(r"[/l]$", url.partition("?")[0]) else "x/y"
        placed[url] = paths.place(url, wanted_path(url, media_type))
    assert told_apart_by_any_system(list(placed.values()))
    assert [path for path in placed.values() if faults(path)] == []
    for path in placed.values():
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch(exist_ok=False)
    found = [file for file in tmp_path.rglob("*") if file.is_file()]
    assert len(found) == len(placed)


def real_links(how_many: int) -> set[str]:
    found: set[str] = set()
    for page in islice(sorted(DOCUMENTATION.glob("*/**/*.html")), 4_000):
        if page.is_dir():
            continue
        base = f"http://doc.test/{quote(str(page.relative_to(DOCUMENTATION)))}"
        for href in re.findall(r'(?:href|src)="([^"]+)"', page.read_text("latin-1"))[:20]:
            try:
                found.add(canonicalize(href, base))
            except BadUrl:
                continue
        if len(found) >= how_many:
            break
    return found
