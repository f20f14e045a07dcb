"""Pages as HTML: links written in every form that means the same URL, with text between them.

Pure: the bytes depend on the arguments alone.
"""

from __future__ import annotations

from functools import cached_property
from html import escape

from weft.simweb import chance
from weft.simweb.chance import Dice
from weft.simweb.traits import Charset

_TEXT = """
and below between clear copper distant drawn early every field from garden harbour into iron known later
letter little market morning narrow never north often open over paper quiet rather river second several silver
simple slowly small south stone table their through under until water while window winter without
"""
_BLOCK_BYTES = 65_536


class TextBlock:
    """A stretch of words without end, of which any part can be had without making the rest."""

    def __init__(self, dice: Dice) -> None:
        self._dice = dice

    @cached_property
    def _twice(self) -> bytes:
        """Made when it is needed: to know which pages a web has, it is not."""
        vocabulary = _TEXT.split()
        words: list[str] = []
        length = 0
        while length < _BLOCK_BYTES:
            words.append(vocabulary[self._dice.draw(chance.TEXT_BLOCK, len(words)) % len(vocabulary)])
            length += len(words[-1]) + 1
        block = " ".join(words)[: _BLOCK_BYTES - 1] + " "
        return (block + block).encode()

    def cut(self, offset: int, length: int) -> bytes:
        """`length` bytes of text from `offset` on."""
        start = offset % _BLOCK_BYTES
        if length <= _BLOCK_BYTES:
            return self._twice[start : start + length]
        turn = self._twice[start : start + _BLOCK_BYTES]
        return (turn * (length // _BLOCK_BYTES + 1))[:length]


def render_page(
    title: str,
    hrefs: list[str],
    text: TextBlock,
    text_offset: int,
    page_bytes: int,
    *,
    nofollow: frozenset[int] = frozenset(),
    meta: str = "",
    charset: Charset | None = None,
) -> bytes:
    """A page of about `page_bytes`; of more when its links alone need more.

    The links with a number in `nofollow` say so. `meta` is for the head. Without a charset it is UTF-8.
    """
    anchors = [f'<a href="{href}">{number}</a>' for number, href in enumerate(hrefs)]
    for number in nofollow:
        anchors[number] = f'<a href="{hrefs[number]}" rel="nofollow">{number}</a>'
    links_bytes = sum(map(len, anchors)) + 5 * len(anchors) + 2 * len(title) + 125
    step = max(1, (page_bytes - links_bytes) // (len(anchors) + 1))
    words = text.cut(text_offset, step * (len(anchors) + 1)).decode("ascii")
    paragraphs = [f"\n<p>{words[k * step : k * step + step]}{anchor}" for k, anchor in enumerate(anchors)]
    label = charset.label if charset else "utf-8"
    page = (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="{label}"><title>{title}</title>{meta}</head>\n'
        f"<body><h1>{title}</h1>{''.join(paragraphs)}\n<p>{words[-step:]}</body></html>\n"
    )
    # A letter that the charset does not have is written as a reference.
    return page.encode(charset.codec, "xmlcharrefreplace") if charset else page.encode()


def write_href(origin: str, here: str, target_origin: str, path: str, draw: int) -> str:
    """One of the many ways to write the link from a path to another, as an attribute's value.

    `origin` and `target_origin` are like `http://amber3.test:8080`, `draw` chooses.
    """
    way = draw & 7
    if origin != target_origin:
        same_scheme = origin.startswith("https:") is target_origin.startswith("https:")
        ways = _ABSOLUTE_WAYS if same_scheme else _ABSOLUTE_WAYS_TO_ANOTHER_SCHEME
        href = ways[way & 3](target_origin, path)
    elif way < 3:
        href = _ABSOLUTE_WAYS[way](origin, path)
    else:
        href = _LOCAL_WAYS[way - 3](here, path)
    if draw & 0x700 == 0:
        href += f"#part{draw >> 60}"
    if draw & 0x800:
        href = href.replace("%C3%A9", "é")
    if draw & 0xF000 == 0:
        href = f" {href}\n"
    return escape(href)


def _whole(origin: str, path: str) -> str:
    return origin + path


def _without_scheme(origin: str, path: str) -> str:
    return origin[origin.index("/") :] + path


def _in_capitals(origin: str, path: str) -> str:
    return origin.upper() + path


def _by_detour(origin: str, path: str) -> str:
    return f"{origin}/x/./../{path[1:]}"


def _from_root(here: str, path: str) -> str:
    return path


def _from_root_by_detour(here: str, path: str) -> str:
    return f"/./y/z/../..{path}"


def _relative(here: str, path: str) -> str:
    folders = here.partition("?")[0].split("/")[1:-1]
    parts = path[1:].split("/")
    common = 0
    while common < min(len(folders), len(parts) - 1) and folders[common] == parts[common]:
        common += 1
    relative = "../" * (len(folders) - common) + "/".join(parts[common:])
    # An empty reference would mean this very page, and one that starts with "?" would keep its name.
    return relative if relative and relative[0] != "?" else f"./{relative}"


def _relative_from_here(here: str, path: str) -> str:
    return f"./{_relative(here, path)}"


_ABSOLUTE_WAYS = (_whole, _without_scheme, _in_capitals, _by_detour)
_ABSOLUTE_WAYS_TO_ANOTHER_SCHEME = (_whole, _whole, _in_capitals, _by_detour)
_LOCAL_WAYS = (_from_root, _relative, _relative_from_here, _relative, _from_root_by_detour)
