"""From a tree to Markdown, in one walk without recursion.

Each tag has a step that is taken when the walk enters it. A step returns what is to be done when the walk leaves the
element again: another step, nothing, or `skip` if what is in it is not looked at. Tags without a step are part of a
line. The steps of blocks are in `block_steps`, those of the parts of a line in `line_steps`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass

from turbohtml import Document, Element, Node, Text

from weft.parse.markdown.blocks import Blocks
from weft.parse.markdown.line import Line
from weft.parse.markdown.table import Table
from weft.url import LinkResolver

Leave = Callable[[], None]
Step = Callable[["Writer", Element], Leave | None]


def skip() -> None:
    """Stands for an element of which nothing is written; never called."""


@dataclass(slots=True)
class ListInHand:
    """A list that the walk is in."""

    mark: str  # "-", or what comes after a number
    number: int | None
    is_tight: bool  # its first item follows on the text of the item around it
    is_empty: bool = True
    lines: int = 0  # of Markdown, when its last item ended

    def next_mark(self) -> str:
        return f"{self.mark} " if self.number is None else f"{self.number}{self.mark} "


class Writer:
    """The state of the walk."""

    __slots__ = (
        "blocks",
        "bold_deep",
        "code_deep",
        "headings_deep",
        "line",
        "lines_deep",
        "lists",
        "resolver",
        "tables",
    )

    def __init__(self, resolver: LinkResolver) -> None:
        self.resolver = resolver
        self.line = Line()
        self.blocks = Blocks()
        self.lists: list[ListInHand | None] = []  # None for an item
        self.tables: list[Table | None] = []  # None for a table that lays out the page
        self.lines_deep = 0  # headings and cells around: all that is in them is one line
        self.headings_deep = 0  # terms of a list of definitions, too: they have anchors
        self.bold_deep = 0  # what is bold by itself
        self.code_deep = 0

    def write(self, root: Document | Element, steps: Mapping[str, Step], not_written: Collection[Element]) -> str:
        line = self.line
        around: list[tuple[Iterator[Node], Leave | None]] = []
        nodes: Iterator[Node] = iter((root,)) if isinstance(root, Element) else iter(root)
        leave: Leave | None = None
        while True:
            for node in nodes:
                if type(node) is Text:
                    if self.code_deep:
                        line.add_code(node.data)
                    else:
                        line.add_text(node.data)
                elif type(node) is Element and not (not_written and node in not_written):
                    step = steps.get(node.tag)
                    next_leave = None if step is None else step(self, node)
                    if next_leave is not skip:
                        around.append((nodes, leave))
                        nodes, leave = iter(node), next_leave
                        break
            else:
                if leave is not None:
                    leave()
                if not around:
                    break
                nodes, leave = around.pop()
        self.end_paragraph()
        return self.blocks.markdown()

    def edge(self) -> None:
        """Where a block begins or ends."""
        if self.lines_deep:
            self.line.space = True
        else:
            self.end_paragraph()

    def end_paragraph(self) -> None:
        if text := self.line.take():
            self.blocks.write(text)
