"""What a link of a saved file means, and what must stand there so that it means the same on the disk.

    href as it stands ──LinkResolver──▶ canonical URL ──target──▶ Local("../b/c.html")       saved: relative
                                                              Remote("https://a.org/d")  not saved: absolute
                      ──▶ the answer with the link's own fragment

A link that leads out of the web (mailto:, data:, javascript:), that is broken, empty, or only a fragment, stays. With a
base element the last two mean the base, and not the page.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, NamedTuple
from urllib.parse import quote

import msgspec
from ada_url import join_url

from weft.mirror.edits import Edit
from weft.regex import regex
from weft.url import LinkResolver


class Local(msgspec.Struct, frozen=True, gc=False):
    """It was saved: the way from this file to that one, as it is written in a link, with %3F for a question mark."""

    href: str


class Remote(msgspec.Struct, frozen=True, gc=False):
    """It was not saved: where it is on the web."""

    url: str


Target = Callable[[str], Local | Remote]


class KnownLinks:
    """What became of links before.

    It holds for pages of one charset whose URLs, and whose files, have the same folder: from there links lead to the
    same places.
    """

    __slots__ = ("hrefs", "tags")

    def __init__(self) -> None:
        self.hrefs: dict[str, str | None] = {}  # a plain link → what stands in its place; None: it stays
        # A tag from its name to one character behind its attributes → its edits, counted from where these begin.
        self.tags: dict[str, tuple[Edit, ...]] = {}

    def __len__(self) -> int:
        return len(self.hrefs) + len(self.tags)


class Meaning(NamedTuple):
    """What must stand in a link's place, None for what stands there already, and whether it is a file of the mirror."""

    href: str | None
    is_local: bool


NO_LINK: Final = Meaning(None, False)
_STAYS: Final = Meaning(None, True)


_C0_AND_SPACE: Final = "".join(map(chr, range(0x21)))
_DROPPED: Final = {ord(char): None for char in "\t\n\r"}
_ABSOLUTE = regex(r"https?:[/\\]{2}", re.IGNORECASE)
_HAS_SCHEME = regex(r"[a-z][a-z0-9+.\-]*:", re.IGNORECASE)
# Written in one way only, so that another text is another place.
_PLAIN = regex(r"(?!\./|/)[\w\-~!$&()*+,;=@%/?.]*+(?:#[\w\-~!$&()*+,;=@%/?.:]*+)?", re.ASCII)
_PLAIN_FRAGMENT = regex(r"[\w\-~!$&()*+,;=@%/?.:]*+", re.ASCII)
_SURROGATE = regex("[\ud800-\udfff]")  # alone: escapes of JSON can write it
_SAFE_IN_FRAGMENT: Final = "!#$%&'()*+,-./:;=?@[\\]^_{|}~"
_SAFE_IN_HREF: Final = _SAFE_IN_FRAGMENT
MOST_STEPS_UP: Final = 8
_SOME_FOLDER: Final = "file:///" + "d/" * 64  # deeper than a link climbs


class Links:
    """The links of one file. `url` is where it came from; `base_url` what its links are relative to."""

    def __init__(
        self,
        url: str,
        target: Target,
        characters: Callable[[str], str],
        query_charset: str,
        base_url: str | None = None,
        shared: KnownLinks | None = None,
    ) -> None:
        self.shared = shared  # with other pages; None where a base element decides
        self.characters = characters
        self._target = target
        self._charset = query_charset
        self._url = url
        self._resolver = LinkResolver(base_url or url, query_charset)
        self._is_based = self._resolver.url != url
        self._known: dict[str, Meaning] = {}

    def with_base(self, href: str) -> Links:
        """The same under a base element; one of no use is as good as none."""
        base_url = self._resolver.resolve(self._read(href)) or self._resolver.url
        return Links(self._url, self._target, self.characters, self._charset, base_url)

    @property
    def is_based(self) -> bool:
        """Whether a base element decides what an empty link means."""
        return self._is_based

    def meaning(self, href: str) -> Meaning:
        """What must stand in the place of a link."""
        try:
            return self._known[href]
        except KeyError:
            meaning = self._known[href] = self._find(href)
            return meaning

    def meant_by_plain(self, href: str) -> str | None:
        """The same for a link without escapes or character references, and without `is_local`."""
        url = self._resolver.resolve(href)
        meaning = self._known[href] = NO_LINK if url is None else self._meaning_of(href, url)
        return meaning.href

    def absolute(self, href: str) -> Meaning:
        """The same for what is to lead to the web, saved or not: the action of a form, a canonical address."""
        found = self._resolved(href)
        if found is None or _ABSOLUTE.match(found[0]):
            return NO_LINK
        stripped, url = found
        return Meaning(_with_fragment(url, stripped), False)

    def renamed(self, href: str) -> str | None:
        """A name of which only a script knows what it is relative to, with the last part that its file has.

        None if no such file is found from here upwards, if it is called so, or lies in another folder than its URL.
        """
        href = self.characters(href)
        path = href.partition("?")[0]
        if path.startswith("/") or _HAS_SCHEME.match(path):
            return None
        folder, slash, _ = path.rpartition("/")
        folder += slash
        above = self._url.partition("?")[0].rpartition("/")[0]
        for steps in range(1 if path.startswith(".") else MOST_STEPS_UP):
            url = LinkResolver(f"{above}/", self._charset).resolve(href)
            answer = None if url is None else self._target(url)
            if isinstance(answer, Local):
                there, slash, name = answer.href.rpartition("/")
                is_there = there + slash == "../" * steps + folder.removeprefix("./")
                return _with_fragment(_ascii(folder + name), href) if is_there and folder + name != href else None
            above = above.rpartition("/")[0]
            if above.endswith(":/"):
                break
        return None

    def _find(self, href: str) -> Meaning:
        found = self._resolved(href)
        return NO_LINK if found is None else self._meaning_of(*found)

    def _meaning_of(self, stripped: str, url: str) -> Meaning:
        answer = self._target(url)
        if isinstance(answer, Local):
            if answer.href == stripped and ":" not in stripped:  # nearly all links of a site whose URLs name files
                return _STAYS
            meant = _with_fragment(_from_here(answer.href), stripped)
            return Meaning(None if _is_same_place(stripped, meant) else meant, True)
        if answer.url == url and _ABSOLUTE.match(stripped):
            return NO_LINK
        return Meaning(_with_fragment(_ascii(answer.url), stripped), False)

    def _read(self, href: str) -> str:
        return self.characters(href.replace("\0", "\ufffd")).strip(_C0_AND_SPACE)

    def _resolved(self, href: str) -> tuple[str, str] | None:
        """The link without what surrounds it, and its canonical URL."""
        stripped = self._read(href)
        if stripped[:1] in ("", "#") and not self._is_based:
            return None
        url = self._resolver.resolve(stripped)
        return None if url is None else (stripped, url)


def _with_fragment(url: str, href: str) -> str:
    """A URL with the fragment of a link, if that has one."""
    _, hash_mark, fragment = href.partition("#")
    if not hash_mark:
        return url
    if not _PLAIN_FRAGMENT.fullmatch(fragment):
        fragment = _quoted(fragment.translate(_DROPPED), _SAFE_IN_FRAGMENT)
    return f"{url.partition('#')[0]}#{fragment}"


def _from_here(href: str) -> str:
    """A relative link that cannot be taken for anything else: `a:b` would have a scheme."""
    href = _ascii(href)
    return "./" + href if _HAS_SCHEME.match(href) else href


def _ascii(href: str) -> str:
    return href if href.isascii() else _quoted(href, _SAFE_IN_HREF)


def _quoted(text: str, safe: str) -> str:
    return quote(_SURROGATE.sub("\ufffd", text), safe=safe)


def _is_same_place(href: str, meant: str) -> bool:
    """Whether a link leads there as it stands: `./x.html` or `a b.html`."""
    if href == meant or _PLAIN.fullmatch(href) or _HAS_SCHEME.match(href):
        return href == meant
    if href.startswith(("/", "\\")):
        return False
    try:
        return join_url(_SOME_FOLDER, href) == join_url(_SOME_FOLDER, meant)
    except ValueError:
        return False
