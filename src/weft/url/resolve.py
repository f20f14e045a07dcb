"""The links of one page, made canonical: the hot path of `url`.

Most links are plain: a relative path of ordinary characters, whose canonical form is a piece of the page's
own URL put in front. For those a regular expression and one concatenation give exactly what ada gives, four
times as fast. Whatever is the least bit unusual goes to ada.

    href                 taken by            becomes
    ../util/List.html#x  the fast path       start of the folder above + util/List.html
    ?page=2              the fast path       the page without its query + ?page=2
    a/./b  a:b  a%2e/ä   ada
"""

from __future__ import annotations

import re
from functools import lru_cache

from ada_url import join_url, normalize_url

from weft.url.canonical import LONGEST_ORIGIN_CHARS, reduce_href, schemes_from
from weft.url.parts import origin_of
from weft.url.query import encode_query, encoder_for
from weft.url.schemes import SCHEMES

# No colon, so there is no scheme; no // at the start, so there is no host; no backslash, space, quote or
# other character that a browser would change. Dot segments further on it does not see: _has_dots does.
# parse/_scan.c does the same for the links of pages; what is changed here must be changed there.
_PLAIN = re.compile(
    r"(/|\.\./(?:\.\./){0,63}|)((?![./])[\w\-.~!$&()*+,;=@%/]*+(?:\?[\w\-.~!$&()*+,;=@%:/?]*+|))(?:#.*|)",
    re.ASCII | re.DOTALL,
)
_OTHER_SCHEME = re.compile(rf"(?!(?:{'|'.join(SCHEMES)}):)[a-z][a-z0-9+.\-]*:", re.ASCII | re.IGNORECASE)


class LinkResolver:
    """Resolves what stands in the links of one page.

    `base_url` is canonical: the page's URL, or what its base element says.
    """

    __slots__ = ("_charset", "_page", "_starts", "url")

    def __init__(self, base_url: str, query_charset: str = "utf-8") -> None:
        self.url = base_url
        self._charset = query_charset
        self._page = ""  # the rest is worked out when it is needed: the scanner asks for odd links only
        # What stands in front of a link that begins with "../../", by that beginning.
        self._starts: dict[str, str] = {}

    def _look_at_base(self) -> None:
        self._page = self.url.partition("?")[0]
        self._starts = {"/": origin_of(self.url) + "/", "": self._page[: self._page.rindex("/") + 1]}

    def resolve(self, href: str) -> str | None:
        """The canonical URL of a link, or None when it is broken or leads out of the web (`schemes_from`)."""
        plain = _PLAIN.fullmatch(href)
        if plain is None:
            return self._resolve_absolute(href)
        if not self._page:
            self._look_at_base()
        start, rest = plain.groups()
        if _has_dots(rest):
            return self._resolve_by_ada(href)
        if not start:
            if not rest:
                return self.url
            if rest[0] == "?":
                return self._page + rest
        return (self._starts.get(start) or self._climb(start)) + rest

    def _climb(self, start: str) -> str:
        """The folder that a run of `../` leads to; at the top of a site there is nowhere further up."""
        root = self._starts["/"]
        folder = self._starts[""]
        for _ in range(len(start) // 3):
            if len(folder) > len(root):
                folder = folder[: folder.rindex("/", 0, -1) + 1]
        self._starts[start] = folder
        return folder

    def _resolve_absolute(self, href: str) -> str | None:
        """A link with a scheme, or an odd one."""
        origin = href[: href.find("/", 8) + 1]
        if origin and len(origin) <= LONGEST_ORIGIN_CHARS and is_canonical_origin(origin):
            plain = _PLAIN.fullmatch(href, len(origin) - 1)
            if plain is not None and plain[1] == "/" and not _has_dots(plain[2]):
                return origin + plain[2]
        elif _OTHER_SCHEME.match(href):
            return None  # a data: URL may be a megabyte
        return self._resolve_by_ada(href)

    def _resolve_by_ada(self, href: str) -> str | None:
        if not href.isascii() and (encoder := encoder_for(self._charset)) is not None:
            href = encode_query(href, encoder)
        try:
            return reduce_href(join_url(self.url, href), schemes_from(self.url))
        except ValueError:
            return None


@lru_cache(maxsize=4_096)  # the same few sites are linked from page after page
def is_canonical_origin(origin: str) -> bool:
    """Whether ada leaves it as it is; then any plain path may follow it. Asked of none that is too long to be one."""
    try:
        return reduce_href(normalize_url(origin)) == origin
    except ValueError:
        return False


def _has_dots(rest: str) -> bool:
    """Whether a dot segment may be in it; %2e is a dot in disguise."""
    return "/." in rest or ("%2" in rest and "%2e" in rest.lower())
