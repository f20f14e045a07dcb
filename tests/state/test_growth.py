"""What must not happen to the database as it grows."""

from __future__ import annotations

from pathlib import Path

from xxhash import xxh3_128_digest

from weft.state import State


def bytes_read() -> int:
    """By this process, whether from the disk or from the system's cache."""
    lines = Path("/proc/self/io").read_text().splitlines()
    return int(lines[0].removeprefix("rchar: "))


def test_a_look_up_in_a_large_table_does_not_read_its_whole_filter(tmp_path: Path) -> None:
    """A block larger than a shard of the cache is never kept there: a filter of 900 KB was read for each look-up."""
    state = State(tmp_path / "db")
    for start in range(0, 700_000, 20_000):
        batch = state.batch()
        for number in range(start, start + 20_000):
            batch.put("digest", xxh3_128_digest(number.to_bytes(4, "big")), b"")
        state.write(batch)
    state._families["digest"].compact_range(None, None)  # into one table, as they come to be after a while
    unknown = [xxh3_128_digest(number.to_bytes(5, "big")) for number in range(1_000)]
    for key in unknown:
        state.get("digest", key)  # what the cache can keep is in it now
    before = bytes_read()
    assert [state.get("digest", key) for key in unknown] == [None] * len(unknown)
    assert bytes_read() - before < len(unknown) * 20_000
    state.close()
