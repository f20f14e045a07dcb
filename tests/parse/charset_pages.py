"""158 small pages in 16 languages (charset_pages.txt), and what each charset is called here and in Python."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

# WHATWG name → Python's codec for the same letters.
CODECS = {
    "gbk": "gbk",
    "gb18030": "gb18030",
    "big5": "big5hkscs",
    "shift_jis": "cp932",
    "euc-jp": "euc_jp",
    "euc-kr": "cp949",
    "iso-2022-jp": "iso2022_jp",
    "utf-8": "utf-8",
    "utf-16le": "utf-16-le",
    "utf-16be": "utf-16-be",
    "koi8-r": "koi8-r",
    **{f"windows-{number}": f"cp{number}" for number in (1250, 1251, 1252, 1253, 1254, 1256)},
}

# What people write each language in, besides Unicode.
HOMES = {
    "zh-cn": {"gbk", "gb18030"},
    "zh-tw": {"big5", "gbk", "gb18030"},
    "ja": {"shift_jis", "euc-jp", "iso-2022-jp"},
    "ko": {"euc-kr"},
    "ru": {"windows-1251", "koi8-r"},
    "bg": {"windows-1251"},
    **{language: {"windows-1250"} for language in ("pl", "cs", "hu")},
    **{language: {"windows-1252"} for language in ("de", "fr", "es", "en")},
    "el": {"windows-1253"},
    "tr": {"windows-1254"},
    "ar": {"windows-1256"},
}
UNICODE = {"utf-8", "utf-16le", "utf-16be"}

_PAGE = """<!DOCTYPE html>
<html{language}><head>{meta}<title>{title}</title></head>
<body><h1>{title}</h1><ul><li><a href="/">{title}</a></li><li><a href="/list?page=2">2</a></li></ul>
<p>{sentences}</p><p class="foot">page {number}</p></body></html>
"""


class Source(NamedTuple):
    """A page that can be written in many ways."""

    language: str
    number: int
    title: str
    sentences: str

    def text(self, label: str = "", says_language: bool = True) -> str:
        """The page as HTML, with a meta element if there is a label."""
        return _PAGE.format(
            language=f' lang="{self.language}"' if says_language else "",
            meta=f'<meta charset="{label}">' if label else "",
            title=self.title,
            sentences=self.sentences,
            number=self.number,
        )

    def charsets(self) -> Iterator[str]:
        """Those that have all letters of the page."""
        for charset, codec in CODECS.items():
            try:
                self.text().encode(codec)
            except UnicodeEncodeError:
                continue
            yield charset

    def is_at_home_in(self, charset: str) -> bool:
        """Whether it would be written so."""
        return charset in HOMES[self.language] | UNICODE


@cache
def sources() -> tuple[Source, ...]:
    """All pages."""
    found: list[Source] = []
    language = ""
    for line in Path(__file__).with_name("charset_pages.txt").read_text("utf-8").splitlines():
        if line.startswith("["):
            language = line.strip("[]")
        elif line and not line.startswith("#"):
            title, sentences = line.split(" | ")
            found.append(Source(language, len(found), title, sentences))
    return tuple(found)


def sources_in(language: str) -> tuple[Source, ...]:
    """The pages of one language."""
    return tuple(source for source in sources() if source.language == language)


def encodable_in(charset: str) -> tuple[Source, ...]:
    """The pages that a charset has the letters for."""
    return tuple(source for source in sources() if charset in source.charsets())
