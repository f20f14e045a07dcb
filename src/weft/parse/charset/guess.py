"""What the bytes themselves say about a page's charset, when nobody else says anything of use.

    utf16_without_mark   ASCII characters in UTF-16 have a zero byte each, all on the same side
    iso2022_jp           ASCII with escape sequences, which nothing else has
    guess                charsets of East Asia by how the text reads, all others by turbohtml's letter frequencies

The page's language helps where letters do not tell, as with Hungarian in windows-1250 or 1252. turbohtml does not
take a language but a country's domain, so `lang` is translated to one. `lang="en"` means nothing: templates say it of
any page.
"""

from __future__ import annotations

from typing import Final

from turbohtml.detect import Detection, detect  # importing it also registers the whatwg-* codecs

from weft.parse.charset.errors import has_few_errors
from weft.parse.charset.readings import best_reading
from weft.regex import regex

# Markup is ASCII, and a page begins with it.
WIDE_LOOK_BYTES: Final = 1024
_LEAST_ZERO_BYTES: Final = 4
_UNITS_TO_ONE_ZERO_BYTE: Final = 8

# Guessing costs 0.1 ms a kilobyte, and knows no more after some thousand letters.
_SAMPLE_BYTES: Final = 8192
_BYTES_BEFORE: Final = 64  # the letters around a letter tell what it is

# A domain for the languages that have their charsets in common.
_LANGUAGES_OF_DOMAIN: Final = {
    "ae": ("ar", "ur"),
    "cn": ("zh", "zh-cn", "zh-hans"),
    "cz": ("cs", "hr", "hu", "pl", "ro", "sk", "sl"),
    "de": ("ca", "da", "de", "es", "fi", "fr", "is", "it", "nb", "nl", "no", "pt", "sv"),
    "gr": ("el",),
    "il": ("he",),
    "ir": ("fa",),
    "jp": ("ja",),
    "kr": ("ko",),
    "lt": ("et", "lt", "lv"),
    "ru": ("be", "bg", "kk", "mk", "ru", "sr"),
    "th": ("th",),
    "tr": ("az", "tr"),
    "tw": ("zh-hant", "zh-hk", "zh-tw"),
    "ua": ("uk",),
    "vn": ("vi",),
}
_DOMAIN_OF_LANGUAGE: Final = {
    language: domain for domain, languages in _LANGUAGES_OF_DOMAIN.items() for language in languages
}
_HTML_LANGUAGE = regex(rb"""<html[^>]{0,300}?\blang\s*=\s*["']?([a-z]{2})(-[a-z]+)?""")

_JIS_ESCAPE = regex(rb"\x1b(?:\$[@B]|\([IJ])")
_HIGH_BYTE = regex(rb"[\x80-\xff]")


def utf16_without_mark(body: bytes) -> str | None:
    """The kind of UTF-16 that a body is, by its zero bytes: an eighth of the units, and hardly any on the other side.

    Other pages have zero bytes too, but few, or in runs, which lie on both sides.
    """
    look = body[:WIDE_LOOK_BYTES]
    first, second = look[::2].count(0), look[1::2].count(0)
    most = max(first, second)
    if most < _LEAST_ZERO_BYTES or most * _UNITS_TO_ONE_ZERO_BYTE < len(look) // 2 or min(first, second) * 8 > most:
        return None
    return "utf-16le" if second > first else "utf-16be"


def iso2022_jp(body: bytes) -> str | None:
    """The text of a body, ASCII so far, if it is ISO-2022-JP."""
    if not _JIS_ESCAPE.search(body):
        return None
    text = body.decode("whatwg-iso-2022-jp")
    return text if has_few_errors(text) else None


def guess(body: bytes) -> str:
    """The charset of a body that is neither ASCII nor UTF-8."""
    sample = sample_of(body)
    return best_reading(sample) or (detect(sample, _hint(body)).encoding or "windows-1252").lower()


def _hint(body: bytes) -> Detection | None:
    found = _HTML_LANGUAGE.search(body[:WIDE_LOOK_BYTES].lower())
    if not found:
        return None
    language, region = found[1].decode(), (found[2] or b"").decode()
    domain = _DOMAIN_OF_LANGUAGE.get(language + region) or _DOMAIN_OF_LANGUAGE.get(language)
    return Detection(tld=domain) if domain else None


def sample_of(body: bytes) -> bytes:
    """Some kilobytes of a body from its first byte beyond ASCII, without a <: detect() would believe any meta element.

    No charset of several bytes has < or > inside a character.
    """
    found = _HIGH_BYTE.search(body)
    start = max(found.start() - _BYTES_BEFORE, 0) if found else 0
    return body[start : start + _SAMPLE_BYTES].replace(b"<", b" ")
