"""An archive whose pages come with items of a user's function."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

from tests.store.rig import ArchiveRig, body_of, fetched, url_of
from weft.store import record_key
from weft.types import Location
from weft.url import url_id

SEVERAL = 3  # items of a page


class ItemsRig(ArchiveRig):
    """An archive whose pages come with items; lost ones are visited again, as a crawl would."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.path = folder / "items.jsonl"
        self._numbers = {url_id(url_of(number)): number for number in range(100)}

    def page(self, number: int, slot: int = 0, items: int = SEVERAL) -> Location:
        """Write a page and commit it with its items."""
        location = self.writer(slot).write(fetched(url_of(number), body_of(number)))
        batch = self.state.batch()
        self.archive.commit(batch, location, url_id(url_of(number)))
        if items:
            made = [json.dumps({"page": number, "item": item}).encode() for item in range(items)]
            self.archive.items.add(batch, record_key(location.file, location.offset), made)
        self.archive.seal(batch)
        self.state.write(batch)
        return location

    def go_on(self) -> list[int]:
        """The process is gone; another one recovers and visits again what was lost."""
        self.restart()
        lost = [self._numbers[lost] for lost in self.recover()]
        for number in lost:
            self.page(number)
        return lost

    def lines(self) -> list[tuple[int, int]]:
        """The items in the file: page and number."""
        data = self.path.read_bytes() if self.path.exists() else b""
        assert not data or data.endswith(b"\n")
        return [(line["page"], line["item"]) for line in map(json.loads, data.splitlines())]

    def assert_has_each_page_once(self, *pages: int) -> None:
        assert Counter(self.lines()) == Counter((page, item) for page in pages for item in range(SEVERAL))
        assert self.archive.items.count == len(self.lines())
