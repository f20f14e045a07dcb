"""How a cluster's crawl stands, for a person."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from weft.stats.verdict import counted

if TYPE_CHECKING:
    from weft.cluster.control import NodeStatus, Status

MATRIX_NODES = 10  # more do not fit into a terminal
WIDEST = 1_000  # columns of a line
HOW_ENDED = {"done": "nothing was left to do", "limit": "a limit was reached"}


def print_status(found: Status) -> None:
    """A line, the nodes, and who found links for whom."""
    console = Console(highlight=False, soft_wrap=True)
    for line in headlines(found):
        console.print(line, markup=False)
    if not found.nodes:
        return
    console.print()
    _print_whole(console, _nodes(found.nodes))
    if not any(node.sent_to for node in found.nodes):
        return
    if len(found.nodes) > MATRIX_NODES:
        console.print("\nHow many links each node found for which other one: --json tells.")
        return
    console.print("\nlinks found by the node in the row, for the one in the column")
    _print_whole(console, _matrix(found.nodes))


def _print_whole(console: Console, table: Table) -> None:
    """A terminal that is too narrow breaks the lines; no figure is cut off."""
    wanted = console.measure(table, options=console.options.update(max_width=WIDEST)).maximum
    console.width = max(console.width, wanted)
    console.print(table, soft_wrap=False)


def headlines(found: Status) -> list[str]:
    """What is most to be known."""
    has_nodes = any(node.lives and not node.is_silent for node in found.nodes)
    # Without nodes only the log knows; and of a crawl that has ended, nodes that are just leaving tell nothing new.
    queued = f", {found.queued:,} queued" if has_nodes and not found.finished else ""
    lines = [f"{found.crawl}: {_state(found)}; {counted(found.pages, 'page')}{queued}"]
    if found.finished or found.stopped:
        return lines
    if not has_nodes:
        lines.append(f"No node takes part in it now: `weft node {found.crawl}` does.")
    elif found.moving:
        lines.append(f"{found.moving:,} of {found.buckets:,} buckets are on their way to a node.")
    if found.paused:
        lines.append(f"`weft cluster resume {found.crawl}` goes on.")
    return lines


def _state(found: Status) -> str:
    if found.finished:
        return f"ended, as {HOW_ENDED.get(found.finished, found.finished)}"
    return "stopped" if found.stopped else "paused" if found.paused else "running"


def state_of(node: NodeStatus) -> str:
    """In a word or two."""
    if not node.lives:
        return "gone"
    if node.is_silent:
        return f"silent for {node.silent_s:,.0f} s"
    return "leaving" if node.leaves else "drained" if node.is_drained else "idle" if node.is_idle else "busy"


def _nodes(nodes: list[NodeStatus]) -> Table:
    has_machines = len({node.address for node in nodes}) > 1
    table = _table("node", *(["machine"] if has_machines else []), "state")
    for title in ("weight", "buckets", "pages", "queued", "links in", "links out", "unsent"):
        table.add_column(title, justify="right", no_wrap=True)
    for node in nodes:
        counts = node.counts
        buckets, queued = (node.buckets, counts.queued) if node.lives else (0, 0)  # others have them
        figures = (node.weight, buckets, counts.pages, queued, counts.received, counts.sent, counts.unsent)
        style = "dim" if not node.lives else "bold" if node.is_silent else ""
        names = (node.name, *([node.address] if has_machines else []), state_of(node))
        table.add_row(*names, *(f"{figure:,}" for figure in figures), style=style)
    return table


def _matrix(nodes: list[NodeStatus]) -> Table:
    names = sorted({name for node in nodes for name in node.sent_to} | {node.name for node in nodes})
    table = _table("")
    for name in names:
        table.add_column(Text(name or "nobody"), justify="right", no_wrap=True)  # nobody: of no node at that time
    for node in nodes:
        table.add_row(node.name, *(f"{node.sent_to.get(name, 0):,}" for name in names))
    return table


def _table(*titles: str) -> Table:
    table = Table(*titles, box=None, padding=(0, 1), pad_edge=False)
    for column in table.columns:
        column.no_wrap = True
    return table
