"""The index of a WACZ file: blocks, and the way to them."""

from __future__ import annotations

import gzip
import json

from weft.export.zipnum import blocks_of, index_head

LINES = [f'org,example)/{number:04} 20270115080000 {{"url": "x{{y"}}\n'.encode() for number in range(250)]


def test_the_blocks_together_are_the_lines_in_one_gzip_file() -> None:
    packed = b"".join(block.data for block in blocks_of(LINES, block_lines=100))
    assert gzip.decompress(packed) == b"".join(LINES)


def test_each_line_of_the_index_leads_to_a_block_that_begins_with_its_key() -> None:
    blocks = list(blocks_of(LINES, block_lines=100))
    packed = b"".join(block.data for block in blocks)
    assert len(blocks) == 3
    for number, block in enumerate(blocks):
        key, time, place = block.index_line.decode().split(" ", 2)
        told = json.loads(place)
        data = packed[told["offset"] : told["offset"] + told["length"]]
        assert gzip.decompress(data).splitlines(keepends=True) == LINES[number * 100 : number * 100 + 100]
        assert (key, time) == (f"org,example)/{number * 100:04}", "20270115080000")


def test_no_lines_make_no_blocks() -> None:
    assert list(blocks_of([])) == []


def test_the_index_says_first_to_which_file_it_belongs() -> None:
    assert index_head("index.cdx.gz") == b'!meta 0 {"format":"cdxj-gzip-1.0","filename":"index.cdx.gz"}\n'
