"""What goes within an article: link lists, teasers, lines that lead elsewhere, bylines, headings of nothing."""

from __future__ import annotations

import re
from typing import Final

from weft.parse.article.blocks import HEADINGS, Block
from weft.parse.article.sheet import Sheet
from weft.regex import regex

_LISTS: Final = frozenset(("ul", "ol", "dl", "table", "menu", "dir"))
_CELLS: Final = frozenset(("li", "td", "th", "dt", "dd", "pre"))
_TEXT_TAGS: Final = _CELLS | {"p", "blockquote", "figcaption", "caption", "summary", "listing", "xmp"}
_LINE_CHARS: Final = 160
_BYLINE_CHARS: Final = 100
_SENTENCE_CHARS: Final = 80
_ANNOUNCEMENT_CHARS: Final = 40
_PROMOTION_CHARS: Final = 300
_EDGE_LINES: Final = 3
_CAPTION_CHARS: Final = 200

# Each is the beginning of a line; with `$` at its end, the whole of a short one.
_LEADS_ELSEWHERE: Final = regex(
    r"\W*(?:"
    + "|".join(
        (
            r"(?:read|see|hear) (?:more|also|next|the full)\b|also read|you (?:may|might) also|continue reading",
            r"more (?:on|from|about|in)\b.{0,60}$|click here|recommended|related\b.{0,60}$|subscribe|sign up",
            r"share (?:this|on|via)|share\b.{0,12}$|tweet\b.{0,10}$|teilen\b.{0,30}$|(?:like|follow) (?:us|me)\b",
            r"advertisement|anzeige$|werbung$|publicité$|publicidad$",
            r"lesen sie (?:auch|mehr)|mehr zum thema|weiterlesen|auch interessant|zum thema\b.{0,40}$",
            r"(?:à )?lire (?:aussi|également|la suite)|leer más|lea también|te puede interesar|leggi anche",
            r"leia (?:mais|também)|lees (?:ook|meer)|läs (?:också|mer)|les også|læs også",
            r"(?:czytaj|zobacz) (?:też|także|również|więcej)|читайте также",
            r"相关(?:阅读|新闻|文章)|责任编辑|分享到|上一篇|下一篇|関連記事|続きを読む",
            r"(?:posted|published|filed|tagged) (?:by|on|in|under|as|with)\b|tags?(?::|$)|categor(?:y|ies):",
            r"kategorien?:|schlagw[oö]rte?r?:|leave a (?:reply|comment)",
            r"(?:\d+ )?(?:comments?|kommentare?|commentaires?)(?: \(\d+\))?$|permalink|trackback",
            r"print(?: this.*)?$|drucken$|e-?mail$|skip to|jump to|back to top|nach oben|zurück\b.{0,20}$",
            r"©|\(c\) |copyright|all rights reserved|alle rechte vorbehalten|tous droits réservés",
            r"(?:images?|photos?|fotos?|bild|picture|crédits? photos?)(?: credits?| by| via| courtesy)?\s?:",
            r"(?:vorheriger|nächster|previous|next) (?:post|article|artikel|beitrag|page|story)",
        )
    )
    + ")",
    re.IGNORECASE,
)
_BYLINE: Final = regex(
    r"\W*(?:by|von|par|por|di|door|av|af|am|text:|autor(?:in)?:?|author:?|written by|geschrieben von|stand:|"
    r"erstellt|veröffentlicht|(?:last )?(?:updated|modified|published|posted)|aktualisiert|"
    r"publié|publicado|pubblicato)\b.{0,90}$",
    re.IGNORECASE,
)
# Anywhere in a short paragraph: it is about the site, and asks the reader to come back.
_PROMOTES: Final = regex(
    "|".join(
        (
            r"\bnewsletter\b",
            r"\b(?:follow|find|like|join) .{0,60}\bon (?:twitter|facebook|instagram|telegram|whatsapp|youtube)\b",
            r"\b(?:folgen|folgt|folge) .{0,60}\b(?:twitter|facebook|instagram|youtube)\b",
            r"\bs[ií]gue(?:nos|me)\b|\bsuscr[ií]b|\bsuivez-nous\b|\babonnez-vous\b|\biscriviti\b|\bassine\b",
            r"\bsubscribe (?:to|now|here|today)\b|\bsubscribers\b|\balready a subscriber\b|\babonnieren\b",
            r"\bsign up (?:here|for|to)\b|\bdownload (?:the|our) .{0,40}\bapps?\b|\bwith the .{0,40}\bapp\.?$",
            r"\bcanal de telegram\b|\bletters? to the editor\b|\ball rights reserved\b|\bohne gewähr\b",
            r"\baffiliate[- ]links?\b|\bstill no comments\b|\bhinterlass\w* .{0,30}\bkommentar\b",
        )
    ),
    re.IGNORECASE,
)
_SIGN_OF_CREDIT: Final = regex("[:©/]")  # sought first: it is quick
_CREDIT: Final = regex(
    r"(?:[(|/©]\s?|^|[.!?] |\b)(?:fotos?|photos?|bild(?:er)?|images?|pictures?|crédit[os]?|credits?)(?: credit| by)?\s?"
    r"[:©/]\s?[^.!?:]{2,60}\.?\)?$|©[^.!?]{2,60}$",
    re.IGNORECASE,
)
_LABEL: Final = regex(r"[^:：]{2,40}[:：]")
_DATE: Final = regex(
    r"\b(?:\d{1,2}[./-]\d{1,2}[./-]\d{2,4}|\d{4}[./-]\d{1,2}[./-]\d{1,2}|\d{1,2}:\d{2}|"
    r"\d{1,2}(?:st|nd|rd|th|\.)? ?(?:de )?[^\W\d_]{3,10}\.?,? ?(?:de )?\d{4}|"
    r"[A-Z][a-z]{2,8}\.? \d{1,2}(?:st|nd|rd|th)?,? \d{4})\b|\d{4}年\d{1,2}月\d{1,2}日"
)
_DAY_AND_TIME: Final = regex(r"\W*\d{1,2}月\d{1,2}日[\W\d時时点點分午前后後]*")  # and nothing else


def drop_lines(sheet: Sheet, body: int) -> None:
    """Strike off what is not the article's text."""
    whole = max(sheet.prose[body], 1)
    headline = _headline_in(sheet, body)
    for block in sheet.left(body):
        if block.number < headline < block.end:  # a header full of links; what is in it is judged apart
            continue
        if block.chars and sheet.prose[block.number] <= whole * 0.3 and _is_clutter(block, sheet.prose[block.number]):
            sheet.drop(block.number)
    _drop_promotions(sheet, body)
    _drop_edges(sheet, body)
    _drop_empty_headings(sheet, body)


def _headline_in(sheet: Sheet, body: int) -> int:
    """The first headline in the article that leads nowhere; -1 if it has none."""
    for h1 in sheet.h1s:
        block = sheet.blocks[h1]
        if body < h1 < sheet.blocks[body].end and not sheet.dropped[h1] and block.link_chars * 2 < block.chars:
            return h1
    return -1


def _is_clutter(block: Block, prose: int) -> bool:
    if block.tag in HEADINGS:
        return _LEADS_ELSEWHERE.match(block.text) is not None
    density = block.link_chars / block.chars
    is_linked = density > 0.6 or (density > 0.35 and prose < block.chars * 0.3)
    if is_linked and (block.tag in _LISTS or not block.text):
        return True
    return block.text != "" and _is_clutter_line(block, density)


def _is_clutter_line(block: Block, density: float) -> bool:
    text = block.text
    if block.chars < _LINE_CHARS and _LEADS_ELSEWHERE.match(text):
        return True
    if block.tag in _CELLS:
        return False
    if _is_label_of_link(text, density) or _is_credited(block):
        return True
    if density > 0.8 and block.chars < 200:
        return not block.has_stop or density == 1
    return block.chars < _BYLINE_CHARS and (
        (not block.has_stop and _BYLINE.match(text) is not None) or _is_dateline(text)
    )


def _is_credited(block: Block) -> bool:
    return (
        block.chars < _CAPTION_CHARS
        and _SIGN_OF_CREDIT.search(block.text) is not None
        and _CREDIT.search(block.text) is not None
    )


def _is_label_of_link(text: str, density: float) -> bool:
    """Whether all but a word or two before a colon is a link: "More on this: Why it rains"."""
    label = _LABEL.match(text)
    if label is None or " " not in text[label.end() :].strip():  # a name, or a URL
        return False
    return density > 0.3 and abs(len(text) * (1 - density) - label.end()) < 3


def _is_dateline(text: str) -> bool:
    if _DAY_AND_TIME.fullmatch(text):
        return True
    match = _DATE.search(text)
    if match is None or text.endswith((".", "!", "?", "。")):
        return False
    return len(text) - (match.end() - match.start()) < 35


def _drop_promotions(sheet: Sheet, body: int) -> None:
    """What asks readers to subscribe or to come back, unless that is what the page is about."""
    lines = [block for block in sheet.left(body) if block.text]
    ends = {block.number for block in (*lines[:_EDGE_LINES], *lines[-_EDGE_LINES:])}
    found = [
        block
        for block in lines
        if block.chars < _PROMOTION_CHARS
        and (block.link_chars or block.number in ends)
        and _PROMOTES.search(block.text)
    ]
    if sum(block.chars for block in found) * 3 < sum(block.chars for block in lines):
        for block in found:
            sheet.drop(block.number)


def _drop_edges(sheet: Sheet, body: int) -> None:
    """Short lines before the first and after the last sentence."""
    lines = [block for block in sheet.left(body) if block.text]
    sentences = [block.number for block in lines if block.has_stop or block.chars >= _SENTENCE_CHARS]
    if not sentences:
        return
    first, last = sentences[0], sentences[-1]
    for block in lines:
        is_heading_before = block.tag in HEADINGS and block.number < first
        is_text = block.tag in _TEXT_TAGS and block.link_chars * 2 < block.chars
        is_within = first <= block.number <= last
        if not (is_within or is_heading_before or is_text):
            sheet.drop(block.number)
    _drop_announcements(sheet, body)


def _drop_announcements(sheet: Sheet, body: int) -> None:
    """Short lines at the end that announce what has gone: "Read also:"."""
    for block in reversed([block for block in sheet.left(body) if block.text or block.images]):
        if not block.text.endswith((":", "：")) or block.chars >= _ANNOUNCEMENT_CHARS or block.tag in _CELLS:
            return
        sheet.drop(block.number)


def _drop_empty_headings(sheet: Sheet, body: int) -> None:
    """A heading that nothing follows but another of its rank, or the end."""
    text_level = 9
    level_after = 0
    left = list(sheet.left(body))
    among_text = {block.parent for block in left if block.element is None and block.chars >= _SENTENCE_CHARS}
    for block in reversed(left):
        if not (block.text or block.images):
            continue
        if block.tag not in HEADINGS:
            level_after = text_level
            continue
        level = int(block.tag[1])
        if level_after <= level and level > 1 and block.parent not in among_text:
            sheet.drop(block.number)
        else:
            level_after = level
