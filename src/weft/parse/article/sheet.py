"""The blocks of a page while its article is chosen: which were dropped, and how much running text each still has."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from weft.parse.article.blocks import Block

ENOUGH: Final = 250  # characters of running text that make an article


class Sheet:
    """A page to strike blocks off. A struck block takes along what is in it.

    `prose` follows with `settle`, once a step is done: a page may have 100,000 blocks in 500 others each.
    """

    __slots__ = ("_own", "_parents", "blocks", "dropped", "h1s", "prose")

    def __init__(self, blocks: list[Block]) -> None:
        self.blocks = blocks
        self.dropped = bytearray(len(blocks))
        self.h1s = [block.number for block in blocks if block.tag == "h1" and block.chars and block.element is not None]
        self.prose = [block.prose for block in blocks]
        if self.prose[0] < max(ENOUGH, blocks[0].chars // 20):  # hardly a sentence: then all words count
            self.prose = [block.chars - block.link_chars for block in blocks]
        if self.prose[0] < max(ENOUGH, blocks[0].chars // 20):
            self.prose = [block.chars for block in blocks]
        self._own = list(self.prose)
        self._parents = [block.parent for block in blocks]
        for parent, prose in zip(self._parents[1:], self.prose[1:], strict=True):
            if prose:
                self._own[parent] -= prose

    def drop(self, number: int) -> None:
        """Strike a block off that is still there."""
        end = self.blocks[number].end
        self.dropped[number:end] = b"\1" * (end - number)

    def settle(self) -> None:
        """Count the running text again that is left in each block."""
        prose = [0 if is_dropped else own for own, is_dropped in zip(self._own, self.dropped, strict=True)]
        parents = self._parents
        for number in range(len(prose) - 1, 0, -1):
            if prose[number]:
                prose[parents[number]] += prose[number]
        self.prose = prose

    def left(self, body: int) -> Iterator[Block]:
        """What is left in a block, in order; blocks may be dropped on the way."""
        blocks, dropped = self.blocks, self.dropped
        number, end = body + 1, blocks[body].end
        while number < end:
            if not dropped[number]:
                yield blocks[number]
            number = blocks[number].end if dropped[number] else number + 1

    def children_left(self, body: int) -> Iterator[Block]:
        """The blocks that are left directly in a block."""
        blocks = self.blocks
        number, end = body + 1, blocks[body].end
        while number < end:
            if not self.dropped[number]:
                yield blocks[number]
            number = blocks[number].end

    def chars_left(self, body: int) -> int:
        """How much text is left in a block."""
        if self.blocks[body].text:
            return self.blocks[body].chars
        return sum(block.chars for block in self.left(body) if block.text)

    def dropped_in(self, body: int) -> list[int]:
        """The outermost blocks in a block that were struck off."""
        blocks, dropped = self.blocks, self.dropped
        outermost = []
        number, end = body + 1, blocks[body].end
        while number < end:
            if dropped[number]:
                outermost.append(number)
            number = blocks[number].end if dropped[number] else number + 1
        return outermost
