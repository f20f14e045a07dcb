"""URLs: canonical means canonical, and the fast path gives what ada gives."""

from __future__ import annotations

from hypothesis import strategies as st

from tests.fuzz.properties import Property, mixed_text
from weft.errors import BadUrl
from weft.filter import TrapFilter
from weft.url import LinkResolver, canonicalize, host_of, origin_of, registrable_domain, split, surt, url_id

BASES = (
    "http://example.org/",
    "http://example.org/a/b/c?q=1",
    "https://example.org:8443/a/../b//c/",
    "http://[::1]:8080/x/y",
    "http://127.0.0.1/a?b/c/d",
)
CHARSETS = ("utf-8", "windows-1252", "shift_jis", "gb18030", "iso-2022-jp", "euc-kr", "koi8-r", "nonsense")
PIECES = (
    "http:", "https:", "HTTP://", "//", "/", "\\", "..", ".", "../", "./", "%2e", "%2E%2e", "?", "#", "@", ":", ";",
    "example.org", "EXAMPLE.org.", "xn--", "xn--mnchen-3ya", "münchen", "[::1]", "[", "]", "0x7f.1", "1.2.3.4", "...",
    "user:pass@", ":80", ":443", ":0", ":99999", "a", "b/c", "é", "ß", "\u200d", "😀", "\x00", "\t", "\n", " ", "%",
    "%41", "%zz", "%ff", "&amp;", "=", "+", "|", "^", "`", "{", "}", "<", ">", '"', "'", "~", "*", "$", "!", ",",
    "data:", "javascript:", "mailto:", "file:///", "ftp://", "blob:", "about:blank", "ws:", "sid=", "2099-12-01",
)  # fmt: skip
LINKS = mixed_text(PIECES)


def _canonical(text: str, base: str | None = None, charset: str = "utf-8") -> str | None:
    try:
        return canonicalize(text, base, charset)
    except BadUrl:
        return None


def canonical_again_is_the_same(text: str) -> None:
    """And its parts belong together."""
    for url in (_canonical(text), _canonical(text, BASES[1])):
        if url is None:
            continue
        assert canonicalize(url) == url
        assert url.isascii()
        assert "#" not in url
        target = split(url)
        assert host_of(url) == target.host
        assert url.endswith(target.path)
        assert url.startswith(f"{origin_of(url)}/")
        assert 0 <= target.port < 65_536
        assert LinkResolver(url).resolve(url) == url
        assert len(url_id(url)) == 16
        assert surt(url) == surt(canonicalize(url))
        assert registrable_domain(target.host)
        TrapFilter().refuses_url(url, target.host, 3)


def fast_path_is_ada(given: tuple[str, str, str]) -> None:
    """A page's link becomes what ada makes of it."""
    href, base, charset = given
    page = canonicalize(base)
    assert LinkResolver(page, charset).resolve(href) == _canonical(href, page, charset)


URL_PROPERTIES = (
    Property("url: canonical again is the same", LINKS, canonical_again_is_the_same),
    Property(
        "url: the fast path gives what ada gives",
        st.tuples(LINKS, st.sampled_from(BASES), st.sampled_from(CHARSETS)),
        fast_path_is_ada,
    ),
)
