"""Which file a URL becomes. Pure: `wanted_path` says what a URL would like, `Paths` what it gets.

    https://example.org/docs/             example.org/docs/index.html
    https://example.org/docs              example.org/docs.html
    https://example.org/page.php?id=3     example.org/page.php@id=3.html
    http://example.org:8080/a/logo        example.org@8080/a/logo.png
    http://example.org/f/File:%C3%A9.svg  example.org/f/File%3Aé.svg

Rules that hold for each path, so that a mirror can be carried to any system (tests/mirror/test_paths.py checks them):

- The host is the first folder: the same one for http and https, which mostly are one site. A port, an IPv6 address and
  FTP are marked with @, which no host name contains. `Naming` may leave it out, and folders behind it. No first name is
  one of OWN_NAMES.
- Names are readable: escapes are decoded into NFC, letters of all scripts are kept. What some system forbids, hides or
  takes for something else is written as %XX: < > : " | ? * / \\ and %, what cannot be seen, bytes that are not UTF-8, a
  first dot or space, a last dot or space, the first letter of a device's name (CON, aux.html). So no name is `..` or
  `.git` or `.weft`, and two segments that differ still differ, in nearly all cases.
- A query stands before the extension, behind an @. A wrong extension is followed by the right one and never replaced:
  /page.php and /page.html want different files.
- A name has at most 240 bytes of UTF-8, which leaves room for `half_written`. A path has at most 200 UTF-16 units,
  as Windows counts: of its 260 the user's own folder may have 58. What is too long is cut, and a hash added. Folders
  have at most 140 of the 200, whatever file is in them, so that a folder's files stay together.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import count
from typing import Final, NamedTuple, Protocol
from unicodedata import is_normalized, normalize
from urllib.parse import quote, unquote, unquote_to_bytes

from xxhash import xxh3_128_hexdigest

from weft.mirror.extensions import extension_for
from weft.regex import regex
from weft.url import url_id
from weft.url.schemes import SCHEMES

MAX_NAME_BYTES: Final = 240
MAX_PATH_UNITS: Final = 200
MAX_FOLDER_UNITS: Final = 140
MAX_HOST_UNITS: Final = 64
HASH_LETTERS: Final = 8
MOST_BELOW_FIRST: Final = 100  # tries to find a name for a folder there
VERSIONS, INDEX = "versions", "mirror-index.html"  # of the mirror itself, beside its files
OWN_NAMES: Final = frozenset((VERSIONS, INDEX))

_PLAIN_NAME = regex(r"[^%<>:\"|?*\\/\0-\x1f\x7f-\U0010ffff]*")
_FORBIDDEN = frozenset('%<>:"|?*\\/')
_DEVICE = regex(r"(?:con|prn|aux|nul|conin\$|conout\$|clock\$|(?:com|lpt)[0-9¹²³]) *(?:\.|$)", re.IGNORECASE)
_EXTENSION = regex(r"(?<=.)\.(?=[0-9]*[A-Za-z])([A-Za-z0-9]{1,11})\Z", re.DOTALL)
_SHORT_NAME = regex(r"[^.~]{1,6}~\d")
_PARAMETER = regex(r""";\s*([^=;\s]+)\s*=\s*("(?:[^"\\]|\\.)*"|[^;]*)""", re.DOTALL)

# In a link, all but these is escaped: it then needs no care in HTML, srcset, CSS or a script, whatever the quotes.
_LINK_SAFE = "/@=~"
_LINK_PLAIN = regex(r"[A-Za-z0-9._~/@=-]*")
_FRAGMENT_SAFE = "!$&()*+,;=:@/?%~[]{}|^#"


class Naming(NamedTuple):
    """How much of a URL its path has."""

    host_folder: bool = True
    cut_dirs: int = 0
    flat: bool = False
    query: bool = True


EVERYTHING: Final = Naming()


def wanted_path(
    url: str,
    media_type: str = "",
    first_bytes: bytes = b"",
    disposition: bytes | None = None,
    naming: Naming = EVERYTHING,
) -> str:
    """The path that a canonical URL would like to have, below the mirror's folder, with / between names.

    `media_type` and `disposition` are the headers' values, `first_bytes` the body's, without its content coding.
    """
    scheme, _, rest = url.partition("://")
    address, question_mark, query = rest.partition("?")
    authority, *folders, last = address.split("/")
    names = [] if naming.flat else [_whole_name(_visible(part)) for part in folders[naming.cut_dirs :]]
    if naming.host_folder and not naming.flat:
        names.insert(0, _host_folder(scheme, authority))
    folder = _folder_path(_kept_free(names)) if names else ""

    attachment = attachment_name(disposition) if disposition else ""
    if attachment:
        last, question_mark = attachment.replace("%", "%25"), ""
    stem, own = _split_extension(_visible(last) or "index")
    extension = extension_for(media_type, first_bytes, own.lower())
    if extension != own.lower():  # never instead of its own: /page.php and /page.html want different files
        stem, own = (f"{stem}.{own}" if own else stem), extension
    if question_mark and naming.query:
        stem = f"{stem}@{_visible(query)}"
    name = _whole_name(f"{stem}.{own}" if own else stem)
    if not folder:
        name = _kept_free([name])[0]
    return _in(folder, _fitted(name, url, MAX_PATH_UNITS - 1 - _units(folder)))


def attachment_name(disposition: bytes) -> str:
    """The file name in a Content-Disposition header (RFC 6266), without folders; empty when it is no attachment."""
    text = _text_of(disposition)
    if text.partition(";")[0].strip().lower() in ("", "inline") or "=" in text.partition(";")[0]:
        return ""
    values = {name.lower(): value.strip() for name, value in reversed(_PARAMETER.findall(text))}
    name = _extended_value(values.get("filename*", "")) or _plain_value(values.get("filename", ""))
    return re.split(r"[/\\]", name)[-1].strip(" .\t\r\n\0")


def relative_link(from_path: str, to_path: str, fragment: str = "") -> str:
    """The link from one saved file to another, as it works on a disk and on a server alike.

    Only letters, digits and - . _ ~ / @ = % stand in it, before the fragment, which stays as it was but for what a URL
    may not contain, and quotes. To the file itself it is the fragment alone, or the file's name.
    """
    marked = ""
    if fragment:
        marked = f"#{quote(fragment, safe=_FRAGMENT_SAFE)}"
        if from_path == to_path:
            return marked
    folder = from_path[: from_path.rfind("/") + 1]
    steps_up = 0
    while not to_path.startswith(folder):
        folder = folder[: folder.rfind("/", 0, -1) + 1]
        steps_up += 1
    rest = to_path[len(folder) :]
    return "../" * steps_up + (rest if _LINK_PLAIN.fullmatch(rest) else quote(rest, safe=_LINK_SAFE)) + marked


class Rows(Protocol):
    """Where decisions are kept, for ever: one family of a database. A `get` sees each `put` before it.

    u, id of URL  → its path
    p, key of path → f, URL: the file of that URL;  d, path: a folder, as it is written
    """

    def get(self, key: bytes) -> bytes | None:
        """One row's value."""

    def put(self, key: bytes, value: bytes) -> None:
        """Add one row."""


class Paths:
    """Gives each URL its path, once: no two files, nor a file and a folder, ever get names that some system mixes up.

    Who comes first gets what it wants. Who comes later and wants the same, gets a hash of its URL before the extension,
    so it has the same path in every run in which it is not the first. Names that differ only in case or in Unicode's
    forms are the same name, so a folder is written as it was written first. A folder whose name a file has already
    moves up to the host's folder, with a hash. Nothing is held in memory.
    """

    def __init__(self, rows: Rows) -> None:
        self._rows = rows

    def known(self, url: str) -> str | None:
        """The path that was given to this URL."""
        row = self._rows.get(b"u" + url_id(url))
        return None if row is None else row.decode()

    def place(self, url: str, wanted: str) -> str:
        """The path of this URL: the one that it has, or from now on has. `wanted` is what `wanted_path` says."""
        known = self.known(url)
        if known is not None:
            return known
        folder, _, name = wanted.rpartition("/")
        folder = self._open_folder(folder) if folder else ""
        for path in _file_candidates(folder, name, url):
            key = b"p" + path_key(path).encode()
            row = self._rows.get(key)
            if row is None or row == b"f" + url.encode():
                self._rows.put(key, b"f" + url.encode())
                self._rows.put(b"u" + url_id(url), path.encode())
                return path
        raise AssertionError("candidates never end")

    def _open_folder(self, wanted: str) -> str:
        """The folder as it is written in this mirror; made known if it is new."""
        row = self._rows.get(b"p" + path_key(wanted).encode())
        if row is not None and row[:1] == b"d":
            return row[1:].decode()
        for candidate in _folder_candidates(wanted):
            written = self._new_folder(candidate)
            if written is not None:
                return written
        raise AssertionError("candidates never end")

    def _new_folder(self, wanted: str) -> str | None:
        """Make a folder and those above it known; None when one of them is a file."""
        written = ""
        new_rows = []
        for name in wanted.split("/"):
            path = f"{written}/{name}" if written else name
            key = b"p" + path_key(path).encode()
            row = self._rows.get(key)
            if row is None:
                new_rows.append((key, b"d" + path.encode()))
            elif row[:1] == b"f":
                return None
            written = path if row is None else row[1:].decode()
        if _units(written) > MAX_FOLDER_UNITS:  # SS for ß, as it was written first, is longer
            return None
        for key, value in new_rows:
            self._rows.put(key, value)
        return written


class RowsInMemory(dict[bytes, bytes]):
    """Rows for tests and small mirrors."""

    def put(self, key: bytes, value: bytes) -> None:
        """Add one row."""
        self[key] = value


def path_key(path: str) -> str:
    """The same for two paths that any file system takes for one: by case, or by Unicode's forms."""
    if path.isascii():
        return path.lower()
    return normalize("NFC", normalize("NFD", path).upper().casefold())


def half_written(path: str) -> str:
    """Where a file is written until it is whole: no file of a mirror has a name that begins with a dot."""
    folder, slash, name = path.rpartition("/")
    return f"{folder}{slash}.{name}.part"


def _file_candidates(folder: str, name: str, url: str) -> Iterator[str]:
    room = MAX_PATH_UNITS - 1 - _units(folder)
    yield _in(folder, _fitted(name, url, room))
    for attempt in count():
        yield _in(folder, _with_hash(name, f"{attempt} {url}" if attempt else url, room))


def _folder_candidates(wanted: str) -> Iterator[str]:
    yield wanted
    first, *others = wanted.split("/")
    last = others[-1] if others else first
    for attempt in count():
        # Without folders of hosts, the first one may itself be a file.
        above = first if others and attempt < MOST_BELOW_FIRST else ""
        room = MAX_FOLDER_UNITS - 1 - _units(above)
        yield _in(above, _joined(last, "", f"{attempt} {wanted}" if attempt else wanted, room))


def _host_folder(scheme: str, authority: str) -> str:
    host, bracket, port = authority.partition("]")
    if bracket:
        host = f"ipv6@{host[1:].replace(':', '-')}"
    name = f"{host}{port}".replace(":", "@")
    if not SCHEMES[scheme].is_web:
        name = f"{scheme}@{name}"
    name = _visible(name).replace("~", "%7E")  # on Windows weft~1 may be another name for .weft
    return _fitted(_whole_name(name), authority, MAX_HOST_UNITS)


def _in(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name


def _kept_free(names: list[str]) -> list[str]:
    """The same below the mirror's folder, where some names are those of the mirror itself."""
    first = names[0]
    if _SHORT_NAME.match(first):  # on Windows, weft~1 may be another name for .weft
        return [first.replace("~", "%7E"), *names[1:]]
    return [_escaped(first[0]) + first[1:], *names[1:]] if path_key(first) in OWN_NAMES else names


def _folder_path(names: list[str]) -> str:
    """The folders in a row; where they are too long together, a hash stands for the last of them."""
    path, *names = names
    path = _fitted(path, path, MAX_FOLDER_UNITS - 2 - HASH_LETTERS if names else MAX_FOLDER_UNITS)
    for index, name in enumerate(names):
        name = _fitted(name, name, MAX_FOLDER_UNITS)
        room = MAX_FOLDER_UNITS - 1 - _units(path)
        room_after = 0 if index == len(names) - 1 else 2 + HASH_LETTERS
        if _units(name) + room_after > room:
            return f"{path}/{_joined(name, '', '/'.join(names[index:]), room)}"
        path = f"{path}/{name}"
    return path


def _visible(text: str) -> str:
    """Part of a URL with its escapes decoded, but for what may not stand in a name."""
    if _PLAIN_NAME.fullmatch(text):
        return text
    decoded = normalize("NFC", unquote_to_bytes(text).decode("utf-8", "surrogateescape"))
    return "".join(c if c.isprintable() and c not in _FORBIDDEN else _escaped(c) for c in decoded)


def _escaped(character: str) -> str:
    return "".join(f"%{byte:02X}" for byte in character.encode("utf-8", "surrogateescape"))


def _whole_name(name: str) -> str:
    """A name that no system changes, hides or takes for a device."""
    if not name:
        return "_"
    if name[0] in ". " or _DEVICE.match(name):
        name = _escaped(name[0]) + name[1:]
    if name[-1] in ". ":
        name = name[:-1] + _escaped(name[-1])
    # An accent may have come to stand behind the last letter of an escape.
    return name if name.isascii() or is_normalized("NFC", name) else normalize("NFC", name)


def _split_extension(name: str) -> tuple[str, str]:
    found = _EXTENSION.search(name)
    return (name[: found.start()], found[1]) if found else (name, "")


def _fitted(name: str, hashed: str, max_units: int) -> str:
    if len(name.encode()) <= MAX_NAME_BYTES and _units(name) <= max_units:
        return name
    return _with_hash(name, hashed, max_units)


def _with_hash(name: str, hashed: str, max_units: int) -> str:
    """The name with a hash before its extension, cut so that it fits."""
    stem, extension = _split_extension(name)
    return _joined(stem, extension, hashed, max_units)


def _joined(stem: str, extension: str, hashed: str, max_units: int) -> str:
    tail = f"-{xxh3_128_hexdigest(hashed.encode())[:HASH_LETTERS]}" + (f".{extension}" if extension else "")
    return _cut(stem, MAX_NAME_BYTES - len(tail), max_units - len(tail)) + tail


def _cut(text: str, max_bytes: int, max_units: int) -> str:
    text = text[: max(max_units, 0)]
    while text and (len(text.encode()) > max_bytes or _units(text) > max_units):
        text = text[:-1]
    escape = text.rfind("%", -2)
    return text if escape < 0 else text[:escape]


def _units(text: str) -> int:
    """How long Windows takes it to be."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le")) // 2


def _text_of(header: bytes) -> str:
    try:
        return header.decode()
    except UnicodeDecodeError:
        return header.decode("latin-1")


def _plain_value(value: str) -> str:
    if value[:1] == '"' and value[-1:] == '"' and len(value) > 1:
        value = re.sub(r"\\(.)", r"\1", value[1:-1], flags=re.DOTALL)
    return unquote(value)  # not by the standard; servers do it, and browsers understand


def _extended_value(value: str) -> str:
    """`UTF-8'en'%e2%82%ac` (RFC 8187); empty when it is not so, or in an unknown charset."""
    charset, _, rest = value.strip('"').partition("'")
    _, quote_mark, text = rest.partition("'")
    if not quote_mark or charset.lower() not in ("utf-8", "iso-8859-1"):
        return ""
    try:
        return unquote_to_bytes(text).decode(charset)
    except UnicodeDecodeError:
        return ""
