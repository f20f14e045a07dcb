"""The link graph as numbers and URLs, for its export.

Rows are read twice, first for their nodes; URLs lie in a nameless file. So memory is 28 bytes a node, whatever the
number of links.
"""

from __future__ import annotations

import mmap
import tempfile
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import numpy as np

from weft.folder.node_urls import name_without_url, urls_in
from weft.folder.refused_list import Rows
from weft.graph.links import Numbers, chunks_of, nodes_of, numbers_of

LINKS_AT_ONCE: Final = 50_000
URLS_AT_ONCE: Final = 10_000


class LinkTable:
    """All links, and the URL of each number. Close it, or use it in a `with` block."""

    def __init__(self, database: Rows, scratch: Path | None) -> None:
        self._database = database
        self.nodes = nodes_of(chunks_of(database.scan("graph")))
        self._starts = np.zeros(len(self.nodes), np.int64)  # of URLs, in the file
        self._lengths = np.zeros(len(self.nodes), np.int32)  # 0: no row tells the URL
        self._file = tempfile.TemporaryFile(dir=scratch)  # noqa: SIM115 — `close` closes it
        self._file.write(b"\n")  # what is empty cannot be mapped
        found = urls_in(database)
        while some := dict(islice(found, URLS_AT_ONCE)):
            self._add(some)
        self._file.flush()
        self._urls = mmap.mmap(self._file.fileno(), 0, access=mmap.ACCESS_READ)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Give the file back."""
        self._urls.close()
        self._file.close()

    def links(self) -> Iterator[tuple[list[int], list[int]]]:
        """Some links at once, in the order of pages: the numbers of pages, and of what they link to."""
        for chunk in chunks_of(self._database.scan("graph")):
            pages = np.repeat(np.searchsorted(self.nodes, chunk.sources), chunk.counts)
            targets = np.searchsorted(self.nodes, chunk.targets)
            for at in range(0, len(pages), LINKS_AT_ONCE):
                yield pages[at : at + LINKS_AT_ONCE].tolist(), targets[at : at + LINKS_AT_ONCE].tolist()

    def url(self, number: int) -> bytes:
        """The URL of a node, or what stands for it."""
        if length := int(self._lengths[number]):
            start = int(self._starts[number])
            return self._urls[start : start + length]
        return name_without_url(int(self.nodes[number])).encode()

    def urls(self, numbers: Iterable[int]) -> Iterator[bytes]:
        """The URLs of nodes; of one that comes several times in a row, as the pages of links do, at no cost."""
        last, url = -1, b""
        for number in numbers:
            if number != last:
                last, url = number, self.url(number)
            yield url

    def _add(self, found: dict[int, str]) -> None:
        numbers, are_there = numbers_of(np.fromiter(found, np.uint64, len(found)), self.nodes)
        self._write(numbers[are_there], [url for url, there in zip(found.values(), are_there, strict=True) if there])

    def _write(self, numbers: Numbers, urls: list[str]) -> None:
        start = self._file.tell()
        for number, url in zip(numbers.tolist(), urls, strict=True):
            if not self._lengths[number]:
                data = url.encode()
                self._file.write(data)
                self._starts[number], self._lengths[number] = start, len(data)
                start += len(data)
