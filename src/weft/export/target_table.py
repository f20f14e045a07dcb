"""URL and status of every node of the link graph, for the export of links.

URLs lie in a nameless file; memory is 18 bytes a node. Visited pages come in the order of nodes; the others, which wait
or were left out, do not: some are put into order at a time.
"""

from __future__ import annotations

import mmap
import tempfile
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Final, NamedTuple, Self

import msgspec

from weft.folder.node_urls import name_without_url, other_urls_in
from weft.folder.refused_list import Rows
from weft.graph.rows import node_of
from weft.types import Outcome

NODES_A_RUN: Final = 500_000
REMEMBERED: Final = 50_000

_OUTCOMES: Final = list(Outcome)


class _Visited(msgspec.Struct, array_like=True, gc=False):
    """What of a `PageRow` is needed; the rest is skipped."""

    url: str
    status: int
    fetched_at: float
    depth: int
    outcome: Outcome = Outcome.RESPONSE


_decode = msgspec.msgpack.Decoder(_Visited).decode


class _Run(NamedTuple):
    """Some nodes in ascending order."""

    nodes: array[int]
    starts: array[int]  # of URLs, in the file
    statuses: array[int]  # of HTTP; below 0, an outcome; 0: not known


class TargetTable:
    """Close it, or use it in a `with` block."""

    def __init__(self, database: Rows, scratch: Path | None) -> None:
        self._file = tempfile.TemporaryFile(dir=scratch)  # noqa: SIM115 — `close` closes it
        self._size = self._file.write(b"\n")  # what is empty cannot be mapped
        self._runs = [*self._written(_visited(database)), *self._written(_others(database))]
        self._file.flush()
        self._urls = mmap.mmap(self._file.fileno(), 0, access=mmap.ACCESS_READ)
        self._remembered: dict[int, tuple[str, str]] = {}  # bound: REMEMBERED

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Give the file back."""
        with suppress(BufferError):
            self._urls.close()
        self._file.close()

    def target(self, node: int) -> tuple[str, str]:
        """URL and status of a node: the status of HTTP or why there is none, empty if that is not known."""
        found = self._remembered.get(node)
        if found is None:
            if len(self._remembered) >= REMEMBERED:
                self._remembered.clear()
            found = self._remembered[node] = self._found(node)
        return found

    def _found(self, node: int) -> tuple[str, str]:
        for run in self._runs:
            at = bisect_left(run.nodes, node)
            if at < len(run.nodes) and run.nodes[at] == node:
                start, status = run.starts[at], run.statuses[at]
                url = self._urls[start : self._urls.find(b"\n", start)].decode()
                return url, str(status) if status > 0 else _OUTCOMES[-status - 1] if status else ""
        return name_without_url(node), ""

    def _written(self, rows: Iterable[tuple[int, str, int]]) -> Iterator[_Run]:
        found = iter(rows)
        while True:
            run = _Run(array("Q"), array("Q"), array("h"))
            for node, url, status in islice(found, NODES_A_RUN):
                run.nodes.append(node)
                run.starts.append(self._size)
                run.statuses.append(status)
                self._size += self._file.write(url.encode() + b"\n")
            if not run.nodes:
                return
            yield _in_order(run)


def _in_order(run: _Run) -> _Run:
    order = sorted(range(len(run.nodes)), key=run.nodes.__getitem__)
    return _Run(*(array(column.typecode, map(column.__getitem__, order)) for column in run))


def _visited(database: Rows) -> Iterator[tuple[int, str, int]]:
    for key, value in database.scan("page"):
        row = _decode(value)
        is_answer = row.outcome is Outcome.RESPONSE
        yield node_of(key), row.url, row.status if is_answer else -1 - _OUTCOMES.index(row.outcome)


def _others(database: Rows) -> Iterator[tuple[int, str, int]]:
    return ((node, url, 0) for node, url in other_urls_in(database))
