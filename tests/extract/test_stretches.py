"""Stretches cover what is left to do, in the archive's order, and never a page that is done."""

from __future__ import annotations

import random
from pathlib import Path

from weft.export.selection import Selection
from weft.extract.journal import DoneTable, Entry
from weft.extract.stretches import ToDo
from weft.folder.archive_order import decode_row
from weft.folder.reading import CrawlReader

from .rig import made


def test_whatever_is_done_the_rest_is_handed_out_once_in_stretches_without_a_gap(tmp_path: Path) -> None:
    made(tmp_path / "crawl", range(30))
    dice = random.Random(5)
    with CrawlReader(tmp_path / "crawl") as reader:
        rows = sorted((row for row in reader.rows() if row.status == 200), key=lambda row: (row.file, row.offset))
        names = {row.url: reader.file_name(row.file) for row in rows}
        for _ in range(60):
            entries: list[Entry] = []
            done: set[str] = set()
            while dice.random() < 0.8:  # some stretches are done, whole or one page long
                start = dice.randrange(len(rows))
                same_file = [
                    row for row in rows[start : start + dice.choice((1, 1, 4))] if row.file == rows[start].file
                ]
                first, last = same_file[0], same_file[-1]
                zeros = (0,) * 9
                entries.append(Entry(names[first.url], first.offset, last.offset + 1, 1, *zeros))
                done |= {row.url for row in same_file}
            to_do = ToDo(reader, Selection(statuses=("2xx",)), DoneTable(entries), tmp_path)
            left = [row.url for row in rows if row.url not in done]
            assert to_do.count == len(left)
            given: list[str] = []
            while (taken := to_do.take(dice.randint(1, 6)))[1]:
                file, places = taken
                urls = [decode_row(row).url for _, row in places]
                at = [row.url for row in rows].index(urls[0])
                assert urls == [row.url for row in rows[at : at + len(urls)]], "no page that is done lies between"
                assert {names[url] for url in urls} == {file}
                given += urls
            assert given == left
            assert to_do.count == 0
            to_do.close()
