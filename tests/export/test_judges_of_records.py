"""What other people's tools say of the WARC files and of the index."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

from .judged_crawl import HOSTS, JudgedCrawl, Line, cdxj_lines
from .judges import judge


def types_of_records(judged: JudgedCrawl) -> dict[str, str]:
    """The type of each record by its id, as warcio reads them."""
    types = {}
    for path in judged.files.warcs:
        done = judge("warcio", "index", "-f", "warc-record-id,warc-type", path)
        assert done.returncode == 0, done.stderr
        for record in map(json.loads, done.stdout.splitlines()):
            types[record["warc-record-id"]] = record["warc-type"]
    return types


def place(line: Line) -> tuple[str, int]:
    return line.fields["filename"], int(line.fields["offset"])


def test_the_crawl_holds_what_is_to_be_judged(judged: JudgedCrawl) -> None:
    rows = {row.url: row for row in judged.files.rows}
    assert rows.keys() == judged.sent().keys() - judged.robots
    assert {row.status for row in rows.values()} == {200, 301, 302, 404}
    assert {line.fields["url"] for line in judged.lines if line.fields.get("mime") == "warc/revisit"} == set(
        judged.copies
    )


def test_warcio_finds_no_fault(judged: JudgedCrawl) -> None:
    done = judge("warcio", "check", "-v", *judged.files.warcs)
    assert done.returncode == 0, done.stdout
    assert "failed" not in done.stdout
    assert done.stdout.count("digest pass") > len(judged.files.rows)


def test_fastwarc_finds_no_fault_and_counts_the_same_records(judged: JudgedCrawl, tmp_path: Path) -> None:
    types = types_of_records(judged)
    verdicts: dict[str, str] = {}
    for path in judged.files.warcs:
        assert judge("fastwarc", "check", "--quiet", path).returncode == 0
        # It also holds the digest of a revisit, which is that of the original, against the body that is not there.
        judge("fastwarc", "check", "--quiet", "--verify-payloads", "-o", tmp_path / "verdicts", path)
        lines = (tmp_path / "verdicts").read_text().splitlines()
        verdicts |= dict(line.split(": ", 1) for line in lines)
    assert verdicts.keys() == types.keys()
    assert all(verdict.startswith("OK, ") for verdict in verdicts.values())
    responses = [verdicts[record_id] for record_id, kind in types.items() if kind == "response"]
    assert set(responses) == {"OK, PAYLOAD_OK"}


def test_records_of_each_type_are_as_many_as_there_should_be(judged: JudgedCrawl) -> None:
    pages, robots = len(judged.files.rows), len(judged.robots)
    assert Counter(types_of_records(judged).values()) == {
        "warcinfo": len(judged.files.warcs),
        "response": pages + robots - len(judged.copies),
        "revisit": len(judged.copies),
        "request": pages + robots,
        "metadata": pages,
        "resource": len(HOSTS) + 1,  # look-ups: HOME's in both runs
    }


def test_cdxj_indexer_makes_the_same_index(judged: JudgedCrawl) -> None:
    done = judge("cdxj-indexer", "--sort", *judged.files.warcs)
    assert done.returncode == 0, done.stderr
    theirs, ours = cdxj_lines(done.stdout), judged.lines
    for line in (*theirs, *ours):
        if "mime" in line.fields:
            line.fields["mime"] = line.fields["mime"].lower()
    assert sorted(ours, key=place) == sorted(theirs, key=place)
    assert [line.key for line in ours] == [line.key for line in theirs]
