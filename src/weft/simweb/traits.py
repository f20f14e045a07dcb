"""What is odd about a page: its fault, coding, charset, robots directives and type. Pure, from the seed alone.

A page without oddities costs a few comparisons here; a share of 0 draws nothing.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable
from itertools import accumulate
from urllib.parse import quote_from_bytes

import brotli  # type: ignore[import-untyped]
import msgspec
import zstandard

from weft.simweb import chance
from weft.simweb.behaviour import Fault
from weft.simweb.chance import Dice
from weft.simweb.spec import WebSpec

_BREAKS = (Fault.RESET_BEFORE_HEAD, Fault.RESET_IN_BODY, Fault.CLOSE_BEFORE_HEAD, Fault.CLOSE_IN_BODY)
_STALLS = (Fault.STALL_BEFORE_HEAD, Fault.STALL_IN_BODY)
_STATUSES = (Fault.STATUS_500, Fault.STATUS_502, Fault.STATUS_503, Fault.STATUS_504)
_GARBLED = (Fault.NOT_HTTP, Fault.CHUNKS_GARBLED)
_FAULTS: tuple[tuple[Fault, ...], ...] = (_BREAKS, _STALLS, _STATUSES, _GARBLED)

# Quick rather than small: they are made again for every request.
CODINGS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": lambda body: gzip.compress(body, 1, mtime=0),
    "deflate": lambda body: zlib.compress(body, 1),
    "br": lambda body: brotli.compress(body, quality=1),
    "zstd": lambda body: zstandard.ZstdCompressor(1).compress(body),
}
_CODING_NAMES = tuple(CODINGS)


class Charset(msgspec.Struct, frozen=True, gc=False):
    """A charset, and a word in it whose bytes are all beyond ASCII, so that every browser escapes them all."""

    label: str
    codec: str
    word: str
    query_codec: str  # in which letters of a query are sent

    @property
    def escaped_word(self) -> str:
        """The word as it stands in a canonical query."""
        return quote_from_bytes(self.word.encode(self.query_codec))


CHARSETS = (
    Charset("gbk", "gbk", "新闻", "gbk"),
    Charset("shift_jis", "cp932", "検索", "cp932"),
    Charset("windows-1251", "cp1251", "новости", "cp1251"),
    Charset("euc-kr", "cp949", "검색", "cp949"),
    Charset("windows-1252", "cp1252", "éàü", "cp1252"),
    Charset("utf-16", "utf-16", "ñöü", "utf-8"),  # with a byte order mark; queries are UTF-8, as in browsers
)


class Directive(msgspec.Struct, frozen=True, gc=False):
    """What a page asks of crawlers, in its header or in a meta element. `{agent}` is the crawler's name."""

    nofollow: bool
    noindex: bool
    header: str = ""
    meta_name: str = ""
    meta_content: str = ""


_META_NOFOLLOW = (
    Directive(True, False, meta_name="robots", meta_content="nofollow"),
    Directive(True, True, meta_name="ROBOTS", meta_content="NoIndex,NoFollow"),
    Directive(True, True, meta_name="robots", meta_content="none"),
    Directive(True, False, meta_name="{agent}", meta_content="nofollow"),
)
_HEADER_NOFOLLOW = (
    Directive(True, False, header="nofollow"),
    Directive(True, True, header="noindex, nofollow"),
    Directive(True, True, header="None"),
    Directive(True, False, header="{agent}: nofollow"),
)
_HARMLESS = (
    Directive(False, True, meta_name="robots", meta_content="noindex"),
    Directive(False, True, header="noindex"),
    Directive(False, True, header="{agent}: noindex"),
    Directive(False, False, meta_name="otherbot", meta_content="nofollow"),
    Directive(False, False, header="otherbot: nofollow"),
    Directive(False, False, meta_name="robots", meta_content="index, follow, noarchive"),
    Directive(False, False, header="max-snippet: 20"),
)
_DIRECTIVES: tuple[tuple[Directive, ...], ...] = (_META_NOFOLLOW, _HEADER_NOFOLLOW, _HARMLESS)


class ContentType(msgspec.Struct, frozen=True, gc=False):
    """A Content-Type that is missing, strange or wrong."""

    value: str
    is_page: bool  # whether a browser would show a page, with links


_CONTENT_TYPES = (
    ContentType("", True),  # the bytes tell
    ContentType("unknown/unknown", True),
    ContentType("TEXT/HTML;Charset=UTF-8", True),
    ContentType("text/html; charset=no-such-charset", True),
    ContentType("text/plain", False),
    ContentType("application/octet-stream", False),
)


class Traits:
    """The oddities of each page of one web."""

    def __init__(self, spec: WebSpec, dice: Dice) -> None:
        self._spec = spec
        self._dice = dice
        self._fault_limits = tuple(
            accumulate((spec.reset_share, spec.stall_share, spec.status_5xx_share, spec.garbled_share))
        )
        self._directive_limits = tuple(
            accumulate((spec.meta_nofollow_share, spec.x_robots_nofollow_share, spec.noindex_share))
        )
        # Whether all pages are plain, their faults apart: most webs have no need to ask page by page.
        self.all_plain = not (
            self._directive_limits[-1] or spec.coded_share or spec.charset_share or spec.mistyped_share
        )

    def fault(self, page: int) -> Fault | None:
        """How the first attempts fail."""
        if not self._fault_limits[-1]:
            return None
        draw = self._dice.unit(chance.FAULT, page)
        for limit, faults in zip(self._fault_limits, _FAULTS, strict=True):
            if draw < limit:
                return faults[page % len(faults)]
        return None

    def coding(self, page: int) -> str | None:
        """The Content-Encoding."""
        way = self._dice.pick(self._spec.coded_share, len(CODINGS), chance.CODING, page)
        return None if way is None else _CODING_NAMES[way]

    def charset(self, page: int) -> Charset | None:
        """The charset, if it is not UTF-8."""
        way = self._dice.pick(self._spec.charset_share, len(CHARSETS), chance.CHARSET, page)
        return None if way is None else CHARSETS[way]

    def content_type(self, page: int) -> ContentType | None:
        """The Content-Type, if it is not right. A page in another charset has a right one."""
        if not self._spec.mistyped_share or self.charset(page):
            return None
        way = self._dice.pick(self._spec.mistyped_share, len(_CONTENT_TYPES), chance.CONTENT_TYPE, page)
        return None if way is None else _CONTENT_TYPES[way]

    def directive(self, page: int) -> Directive | None:
        """What the page asks of crawlers."""
        if not self._directive_limits[-1]:
            return None
        draw = self._dice.draw(chance.DIRECTIVE, page)
        for limit, directives in zip(self._directive_limits, _DIRECTIVES, strict=True):
            if (draw >> 11) / 9_007_199_254_740_992 < limit:
                return directives[draw % len(directives)]
        return None
