from collections.abc import Callable
from typing import Self

from weft.mirror.edits import Edit
from weft.mirror.tags import Style, Tag

class Marker:
    def __new__(
        cls,
        places: dict[str, dict[str, int]],
        css: tuple[str, ...],
        tag: type[Tag],
        style: type[Style],
        edit: type[Edit],
        /,
    ) -> Self: ...
    def read(
        self,
        body: bytes,
        hrefs: dict[str, str | None] | None,
        tags: dict[str, tuple[Edit, ...]] | None,
        mean: Callable[[str], str | None] | None,
        /,
    ) -> tuple[list[Edit], list[Tag | Style]] | None: ...
