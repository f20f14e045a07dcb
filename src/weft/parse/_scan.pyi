from collections.abc import Callable
from typing import TypeAlias

from weft.parse.link_kinds import LinkPlace

DecodeText: TypeAlias = Callable[[str, int, int], str]

# (element, attribute) of each place, as take_links counts them.
PLACES: tuple[tuple[str, str], ...]
LAZY_PLACES: tuple[tuple[str, str], ...]

class Page:
    title: str | None
    base: str | None
    metas: list[tuple[str | None, str, str | None]] | None  # without notes, of those that may count
    styles: list[tuple[int, str]] | None
    lazies: list[tuple[int, str]] | None
    scripts: list[str] | None
    srcdocs: list[str] | None
    link_count: int
    has_nofollow: bool
    has_script: bool
    has_template: bool
    # With notes only:
    h1: str | None
    language: str | None
    relations: list[tuple[str, str | None, str]] | None
    insecure: list[str] | None
    h1_count: int
    image_count: int
    bare_image_count: int
    word_count: int
    script_count: int

    def take_links(
        self,
        places: dict[str, LinkPlace],
        vouched: set[str] | None,
        base: str,
        resolve: Callable[[str], str | None],
        is_canonical: Callable[[str], bool],
        place_objects: tuple[LinkPlace, ...],
        split: Callable[[int, str], list[str]],
        said: dict[str, str] | None,
        most_said: int,
        marks: bytes,
        decode_text: DecodeText,
        reported: Reported | None,
        depth: int,
        /,
    ) -> None: ...

class Reported:
    def __init__(self, most_urls: int, most_chars: int, /) -> None: ...
    def depth_of(self, url: str, /) -> int | None: ...
    def add(self, url: str, depth: int, /) -> None: ...

def scan(
    text: str,
    embeds: bool,
    decode_text: DecodeText | None,
    decode: Callable[[str], str],
    rel_place: Callable[[str], int],
    /,
) -> Page | None: ...

class Scanner:
    doubts: int

    def __init__(
        self,
        embeds: bool,
        decode_text: DecodeText | None,
        decode: Callable[[str], str],
        rel_place: Callable[[str], int],
        /,
    ) -> None: ...
    def feed(self, part: bytes, is_last: bool, /) -> tuple[Page, int]: ...
