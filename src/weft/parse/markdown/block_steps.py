"""What is done with blocks: headings, lists, quotations, tables, code."""

from __future__ import annotations

from typing import Final

from turbohtml import Element

from weft.parse.markdown.blocks import Outside
from weft.parse.markdown.code import code_block
from weft.parse.markdown.line import Mark
from weft.parse.markdown.table import Cell, Table, lays_out_the_page, span_of
from weft.parse.markdown.writer import Leave, ListInHand, Step, Writer, skip
from weft.regex import regex

_HASHES_AT_END: Final = regex(r"(?:^|(?<=\s))#(?=#*$)")
_MOST_DIGITS: Final = 6


def _block(writer: Writer, _element: Element) -> Leave:
    writer.edge()
    return writer.edge


def _heading(writer: Writer, element: Element) -> Leave:
    writer.edge()
    if writer.lines_deep:
        return writer.edge
    writer.lines_deep += 1
    writer.headings_deep += 1
    marks = "#" * int(element.tag[1])

    def leave() -> None:
        writer.lines_deep -= 1
        writer.headings_deep -= 1
        if text := writer.line.take(is_paragraph=False):
            writer.blocks.write(f"{marks} " + _HASHES_AT_END.sub(r"\\#", text))

    return leave


def _bold_block(writer: Writer, _element: Element) -> Leave:
    """A term, or the summary of details: a heading of a kind that Markdown has not."""
    writer.edge()
    if writer.lines_deep:
        return writer.edge
    writer.headings_deep += 1
    is_bold = writer.line.has("**")
    if not is_bold:
        writer.line.open(Mark("**"))

    def leave() -> None:
        writer.edge()
        if not is_bold:
            writer.line.close()
        writer.headings_deep -= 1

    return leave


def _quotation(writer: Writer, _element: Element) -> Leave:
    writer.edge()
    if writer.lines_deep:
        return writer.edge
    outside = writer.blocks.open("> ", "> ")
    writer.lists.append(None)

    def leave() -> None:
        writer.end_paragraph()
        writer.lists.pop()
        writer.blocks.close(outside)

    return leave


# ── lists ──────────────────────────────────────────────────────────────────────────────────────────────


def _list(writer: Writer, element: Element) -> Leave:
    writer.edge()
    if writer.lines_deep:
        return writer.edge
    blocks, lists = writer.blocks, writer.lists
    number = _first_number(element) if element.tag == "ol" else None
    outside: Outside | None = None
    if lists and (around := lists[-1]) is not None and around.lines == blocks.lines and element.tag != "dl":
        outside = blocks.indent("  ")  # a list right in a list belongs to the item before
    mark = blocks.list_mark("-", "*") if number is None else blocks.list_mark(".", ")")
    is_tight = element.tag == "dl" or (bool(lists) and not blocks.is_at_start and number in (None, 1))
    lists.append(ListInHand(mark, number, is_tight))

    def leave() -> None:
        writer.end_paragraph()
        ended = lists.pop()
        blocks.close(outside)
        if ended is not None and not ended.is_empty:
            blocks.end_list(ended.mark)

    return leave


def _first_number(element: Element) -> int:
    start = (element.attr("start") or "").strip()
    return int(start) if start.isdecimal() and start.isascii() and len(start) <= _MOST_DIGITS else 1


def _item(writer: Writer, element: Element) -> Leave:
    writer.edge()
    if writer.lines_deep:
        writer.line.is_item = True
        return writer.edge
    if not writer.lists or (around := writer.lists[-1]) is None:
        return writer.edge
    blocks = writer.blocks
    mark = around.next_mark()
    outside = blocks.open(mark, " " * len(mark))
    follows = around.is_tight if around.is_empty or element.tag == "dd" else around.lines == blocks.lines
    blocks.is_tight = outside is not None and follows
    writer.lists.append(None)

    def leave() -> None:
        writer.end_paragraph()
        writer.lists.pop()
        if blocks.close(outside):
            around.is_empty = False
            around.lines = blocks.lines
            if around.number is not None:
                around.number += 1

    return leave


# ── tables ─────────────────────────────────────────────────────────────────────────────────────────────


def _table(writer: Writer, element: Element) -> Leave:
    writer.edge()
    table = None if writer.lines_deep or lays_out_the_page(element) else Table()
    writer.tables.append(table)

    def leave() -> None:
        writer.edge()
        writer.tables.pop()
        if table is not None and (markdown := table.markdown()):
            writer.blocks.write(markdown)

    return leave


def _row(writer: Writer, _element: Element) -> Leave:
    writer.edge()
    if writer.tables and (table := writer.tables[-1]) is not None:
        table.rows.append([])
    return writer.edge


def _cell(writer: Writer, element: Element) -> Leave:
    writer.edge()
    if writer.lines_deep or not writer.tables or (table := writer.tables[-1]) is None:
        return writer.edge
    writer.lines_deep += 1
    is_heading = element.tag == "th"
    writer.bold_deep += is_heading

    def leave() -> None:
        writer.lines_deep -= 1
        writer.bold_deep -= is_heading
        text = writer.line.take(is_paragraph=False).replace("|", "\\|")
        if not table.rows:
            table.rows.append([])
        table.rows[-1].append(Cell(text, is_heading, span_of(element, "colspan"), span_of(element, "rowspan")))

    return leave


# ── the rest ───────────────────────────────────────────────────────────────────────────────────────────


def _as_written(writer: Writer, element: Element) -> Leave:
    writer.edge()
    if writer.lines_deep:
        return writer.edge
    if block := code_block(element):
        writer.blocks.write(block)
    return skip


def _rule(writer: Writer, _element: Element) -> Leave:
    writer.edge()
    if not writer.lines_deep:
        writer.blocks.is_rule_due = True
    return skip


def _line_break(writer: Writer, _element: Element) -> Leave:
    line = writer.line
    if writer.lines_deep:
        line.space = True
    elif line.is_broken:
        writer.end_paragraph()  # two of them are an empty line
    elif not line.is_empty:
        line.is_broken = True
    return skip


BLOCK_STEPS: Final[dict[str, Step]] = {
    **dict.fromkeys(
        (
            "address", "article", "aside", "body", "caption", "center", "details", "dialog", "div", "fieldset",
            "figcaption", "figure", "footer", "form", "frameset", "header", "hgroup", "html", "legend", "main", "nav",
            "p", "search", "section",
        ),
        _block,
    ),
    **dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6"), _heading),
    **dict.fromkeys(("dt", "summary"), _bold_block),
    **dict.fromkeys(("ul", "ol", "menu", "dir", "dl"), _list),
    **dict.fromkeys(("li", "dd"), _item),
    **dict.fromkeys(("td", "th"), _cell),
    **dict.fromkeys(("pre", "listing", "xmp", "plaintext"), _as_written),
    "blockquote": _quotation,
    "table": _table,
    "tr": _row,
    "br": _line_break,
    "hr": _rule,
}  # fmt: skip
