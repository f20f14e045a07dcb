"""Paper 4's algorithm 1, as plainly as it can be written: the oracle to which the fast one is held.

It works on a tree of its own, made node by node from the parser's, and deletes node by node. `removeTag` of the paper
is `_remove_tags` and `_remove_empty_text`: the paper's "content is empty" means more than a look at the content here
(`weft.clean.white_space` says why), so it is judged when all else is gone.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from turbohtml import Comment, Doctype, Document, Element, Node, ProcessingInstruction, Text

# The rule set, written down a second time on purpose.
DELETED = frozenset((
    "head", "title", "meta", "#doctype", "style", "script", "#comment", "input", "select", "option", "optgroup",
    "datalist", "textarea", "keygen", "button", "object", "param", "img", "br",
))  # fmt: skip
UNWRAPPED = frozenset({"form"})
BLOCKS = frozenset((
    "address", "article", "aside", "blockquote", "body", "br", "caption", "center", "col", "colgroup", "dd",
    "details", "dialog", "dir", "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "frameset",
    "h1", "h2", "h3", "h4", "h5", "h6", "head", "header", "hgroup", "hr", "html", "legend", "li", "listing", "main",
    "menu", "nav", "ol", "optgroup", "option", "p", "plaintext", "pre", "search", "section", "summary", "table",
    "tbody", "td", "tfoot", "th", "thead", "tr", "ul", "xmp",
))  # fmt: skip
BREAKING = BLOCKS - {"html", "head", "body"}
BOXES = frozenset((
    "applet", "audio", "button", "canvas", "embed", "iframe", "image", "img", "input", "keygen", "meter", "object",
    "picture", "progress", "select", "svg", "textarea", "video",
))  # fmt: skip
AS_WRITTEN = frozenset({"listing", "plaintext", "pre", "textarea", "xmp"})


@dataclass
class PlainNode:
    """A node as Jsoup shows it: texts, comments and the doctype have names too."""

    name: str
    text: str = ""
    attributes: dict[str, object] = field(default_factory=dict)
    children: list[PlainNode] = field(default_factory=list)


def plain_tree(node: Node) -> PlainNode:
    """A copy of a tree, and of nothing but what can be seen of it."""
    if isinstance(node, Text):
        return PlainNode("#text", node.data)
    if isinstance(node, Comment | ProcessingInstruction):
        return PlainNode("#comment", node.data)
    if isinstance(node, Doctype):
        return PlainNode("#doctype", node.name)
    children = [plain_tree(child) for child in node.children]
    if isinstance(node, Element):
        return PlainNode(node.tag, "", dict(node.attrs), children)
    return PlainNode("#document" if isinstance(node, Document) else "#fragment", "", {}, children)


def algorithm_1(tree: PlainNode, deleted: frozenset[str] = DELETED, unwrapped: frozenset[str] = UNWRAPPED) -> PlainNode:
    """Delete what carries nothing."""
    _remove_tags(tree, deleted, unwrapped)
    _remove_empty_text(tree, is_as_written=False)
    return tree


def _remove_tags(tree: PlainNode, deleted: frozenset[str], unwrapped: frozenset[str]) -> None:
    originals = list(tree.children)  # gaps are judged by what stood beside an element on the page
    i = 0
    for at, child in enumerate(originals):
        if child.name.lower() in deleted:
            gaps = _gaps(child) if _needs_a_gap(originals, at) else []
            tree.children[i : i + 1] = gaps
            i += len(gaps)
        else:
            _remove_tags(child, deleted, unwrapped)
            left = [*_gaps(child), *child.children, *_gaps(child)] if child.name.lower() in unwrapped else [child]
            tree.children[i : i + 1] = left
            i += len(left)


def _gaps(node: PlainNode) -> list[PlainNode]:
    """What takes the place of an element that parts words."""
    if node.name in BREAKING:
        return [PlainNode("#text", "\n")]
    return [PlainNode("#text", " ")] if node.name in BOXES else []


def _needs_a_gap(siblings: list[PlainNode], at: int) -> bool:
    if siblings[at].name in BREAKING:
        return True
    return not (at > 0 and siblings[at - 1].name == "#text" and siblings[at - 1].text[-1:].isspace())


def _remove_empty_text(tree: PlainNode, is_as_written: bool) -> None:
    is_as_written = is_as_written or tree.name in AS_WRITTEN
    i = 0
    while i < len(tree.children):
        child = tree.children[i]
        if _is_blank(child) and not is_as_written and _is_beside_a_block(tree, i):
            del tree.children[i]
        else:
            _remove_empty_text(child, is_as_written)
            i += 1


def _is_blank(node: PlainNode) -> bool:
    return node.name == "#text" and not node.text.strip(" \t\n\v\f\r\x1c\x1d\x1e\x1f")


def _is_beside_a_block(tree: PlainNode, i: int) -> bool:
    """Whether what comes before or after, blank texts aside, is a block: an element, or the end of the one around."""
    before = next((node for node in reversed(tree.children[:i]) if not _is_blank(node)), tree)
    after = next((node for node in tree.children[i + 1 :] if not _is_blank(node)), tree)
    return before.name in BLOCKS or after.name in BLOCKS
