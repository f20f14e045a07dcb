"""`weft report`: crawls that are finished, killed or running, and tables that fit where they are read."""

from __future__ import annotations

import io
import json
import os
import pty
import re
import subprocess
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from tests.pipeline.engine_process import weft_command
from weft.cli.report import print_report
from weft.cli.shown import size, span
from weft.config import CrawlConfig
from weft.simweb import SimProcess, WebSpec
from weft.stats import Counters
from weft.stats.figures import LeftOut, Report
from weft.stats.report import build_report
from weft.types import Outcome, PageRow, Refusal, Timing

from .running import WITHIN_S, Finished, assert_is_one_sentence, crawl, own_environment, running_crawl

COLOUR = re.compile(r"\x1b\[(?:\d+;)*3\dm")
ESCAPE = "\x1b"


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """The folder in which a small crawl was made, and the summary that it ended with."""
    cwd = tmp_path_factory.mktemp("report")
    with SimProcess(WebSpec(hosts=6, pages=60)) as sim:
        done = crawl(sim, cwd, "--json", "--quiet")
    assert done.code == 0, done.errors
    return cwd, done.summary()


def lines_of_pages(cwd: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (cwd / "crawl" / "pages.jsonl").read_text().splitlines()]


def test_the_json_report_agrees_with_the_summary_and_with_the_list_of_visits(
    crawled: tuple[Path, dict[str, Any]],
) -> None:
    cwd, summary = crawled
    done = Finished("report", "crawl", "--json", cwd=cwd)
    assert (done.code, done.errors) == (0, "")
    (line,) = done.out.splitlines()
    found = json.loads(line)
    rows = lines_of_pages(cwd)
    totals = found["totals"]
    for name in ("pages", "requests", "bytes", "retries", "queued"):
        assert totals[name] == summary[name]
    assert 0 < totals["seconds"] <= summary["seconds"]
    assert totals["visits"] == len(rows)
    assert totals["hosts"] == 6
    by_status = Counter(str(row["status"]) for row in rows)
    assert {row["name"]: row["count"] for row in found["outcomes"]} == by_status
    assert found["responses"]["total"] + found["responses"]["redirects"]["count"] == len(rows)
    assert found["sizes"]["total_bytes"] == sum(row["body_bytes"] for row in rows if 200 <= row["status"] < 300)
    assert [stage["name"] for stage in found["stages"]] == ["resolve", "connect", "wait", "receive", "process"]
    assert found["seen"]["asked"] >= len(rows)


def test_the_tables_go_plain_into_a_pipe(crawled: tuple[Path, dict[str, Any]]) -> None:
    cwd, summary = crawled
    done = Finished("report", "crawl", cwd=cwd)
    assert (done.code, done.errors) == (0, "")
    assert done.out.startswith(f"{summary['pages']} pages of 6 hosts in ")
    assert ESCAPE not in done.out
    lines = done.out.splitlines()
    assert [line for line in lines if line != line.rstrip()] == []
    for title in ("In all", "Responses", "Statuses and failures", "Depths", "Media types", "Charsets"):
        assert title in lines
    for title in ("Time by stage", "Is a URL known?", "Hosts with most pages"):
        assert title in lines


def test_as_many_hosts_are_shown_as_one_asks_for(crawled: tuple[Path, dict[str, Any]]) -> None:
    cwd, _ = crawled
    found = json.loads(Finished("report", "crawl", "--hosts", "2", "--json", cwd=cwd).out)
    assert len(found["hosts"]["by_pages"]) == 2


def test_a_crawl_can_be_reported_while_it_runs_and_after_it_was_killed(tmp_path: Path) -> None:
    with SimProcess(WebSpec(hosts=4, pages=2000, latency_ms=(10, 20))) as sim:
        with running_crawl(sim, tmp_path) as process:
            running = Finished("report", "crawl", "--json", cwd=tmp_path)
            while not json.loads(running.out)["totals"]["seconds"]:  # of its first page there is no time to tell yet
                assert process.poll() is None
                running = Finished("report", "crawl", "--json", cwd=tmp_path)
            assert process.poll() is None
        killed = Finished("report", "crawl", "--json", cwd=tmp_path)
    for done in (running, killed):
        assert (done.code, done.errors) == (0, "")
    before, after = (json.loads(done.out)["totals"] for done in (running, killed))
    assert 0 < before["pages"] <= after["pages"] < 2000


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("nowhere",), 6, "there is no folder nowhere"),
        ((".", "--json"), 6, "is not a crawl folder"),
        ((".", "--hosts", "0"), 2, "--hosts"),
        ((".", "--host", "3"), 2, "did you mean --hosts?"),
        ((), 2, "DIR"),
    ],
)
def test_what_cannot_be_reported_gets_a_sentence(
    tmp_path: Path, arguments: tuple[str, ...], code: int, said: str
) -> None:
    done = Finished("report", *arguments, cwd=tmp_path)
    assert done.code == code
    assert_is_one_sentence(done)
    assert said in done.errors
    assert os.listdir(tmp_path) == []  # looking leaves no trace


def on_a_terminal(cwd: Path, environment: dict[str, str]) -> str:
    """What `weft report` writes to a terminal."""
    screen, keyboard = pty.openpty()
    inherited = {name: value for name, value in own_environment().items() if name not in ("NO_COLOR", "COLUMNS")}
    process = subprocess.Popen(
        weft_command("report", "crawl"),
        env=inherited | {"TERM": "xterm-256color"} | environment,
        cwd=cwd,
        stdin=keyboard,
        stdout=keyboard,
        stderr=keyboard,
    )
    os.close(keyboard)
    written = b""
    try:
        while chunk := os.read(screen, 65536):
            written += chunk
    except OSError:  # how Linux says that the other side is closed
        pass
    finally:
        os.close(screen)
    assert process.wait(WITHIN_S) == 0
    return written.decode()


def test_a_terminal_has_colours_unless_they_are_not_wanted(crawled: tuple[Path, dict[str, Any]]) -> None:
    cwd, _ = crawled
    assert COLOUR.search(on_a_terminal(cwd, {}))
    assert not COLOUR.search(on_a_terminal(cwd, {"NO_COLOR": "1"}))


def hand_made(*rows: PageRow, counters: Counters | None = None, left_out: Sequence[LeftOut] = ()) -> Report:
    return build_report(rows, counters or Counters(), CrawlConfig(seeds=("http://a.test/",)), left_out=left_out)


def shown(report: Report, width: int | None = None) -> list[str]:
    """The lines on a terminal of this width, without colours; in a pipe, if there is none."""
    file = io.StringIO()
    print_report(Console(file=file, width=width or 10_000, force_terminal=width is not None), report)
    return [re.sub(r"\x1b\[[\d;]*m", "", line).rstrip() for line in file.getvalue().splitlines()]


def a_page(host: str, number: int, mime: str = "text/html") -> PageRow:
    return PageRow(f"http://{host}/{number}", 200, 1e9, 1, mime=mime, body_bytes=500, timing=Timing(0.1, 0.2, 0.3))


A_BIG_CRAWL = hand_made(
    *(a_page(f"{'long-' * host}name-{host}.example.org", number) for host in range(12) for number in range(host + 3)),
    *(PageRow(f"http://c.test/{outcome}", 0, 1e9, 1, outcome) for outcome in Outcome if outcome != Outcome.RESPONSE),
    counters=Counters(
        requests=10**9,
        bytes=10**13,
        run_s=10**6,
        seen=10**9,
        refused=dict.fromkeys(Refusal, 10**8),
        seen_answers={"cache": 10**9, "filter": 10**9, "disk": 10**9, "false_positives": 10**6},
    ),
    left_out=[
        LeftOut("trap", f"rule-{number}", 10**9, f"http://a.test/{'very/' * 40}long/{number}") for number in range(14)
    ],
)


@pytest.mark.parametrize("width", [80, 120])
def test_the_tables_fit_the_terminal(width: int) -> None:
    lines = shown(A_BIG_CRAWL, width)
    assert max(map(len, lines)) <= width
    assert any(line.startswith("Hosts with most pages") for line in lines)


def test_a_wide_terminal_has_two_tables_beside_each_other_and_a_narrow_one_does_not() -> None:
    assert any(re.match("In all +Responses$", line) for line in shown(A_BIG_CRAWL, 120))
    assert "Responses" in shown(A_BIG_CRAWL, 80)
    assert "Responses" in shown(A_BIG_CRAWL)


def test_no_word_is_cut_off_in_a_pipe() -> None:
    assert f"{'long-' * 11}name-11.example.org" in "\n".join(shown(A_BIG_CRAWL))


def test_a_long_table_says_how_many_rows_it_leaves_out() -> None:
    assert "and 6 more; --json has them" in shown(A_BIG_CRAWL)  # 18 ways to end a visit


def test_what_is_empty_is_left_out() -> None:
    assert shown(hand_made()) == [
        "Nothing was visited yet.",
        "Crawl of http://a.test/, scope host",
        "",
        "In all",
        "pages       0, 0.0 a second",
        "visits      0, 0 failed",
        "requests    0",
        "received    0 B, 0 KB/s",
        "URLs known  0",
    ]


def test_the_report_leads_with_what_was_left_out_and_says_where_it_is_listed() -> None:
    left_out = [LeftOut("robots", "Disallow: /x", 12, "http://a.test/x/1"), LeftOut("trap", "calendar", 2, "")]
    lines = shown(hand_made(a_page("a.test", 1), left_out=left_out))
    assert lines[0].startswith("1 page of 1 host; 14 URLs left out (robots × 12, trap × 2)")
    table = lines[lines.index("Left out") + 2 : lines.index("In all")]
    assert table[0].split() == ["robots", "Disallow:", "/x", "12", "http://a.test/x/1"]
    assert table[1].split() == ["trap", "calendar", "2"]
    assert table[2] == "each URL: weft export DIR --to refused -o -"


def test_the_list_and_the_counts_agree(crawled: tuple[Path, dict[str, Any]]) -> None:
    cwd, summary = crawled
    found = json.loads(Finished("report", "crawl", "--json", cwd=cwd).out)
    written = (cwd / "crawl" / "refused.jsonl").read_text()
    assert Finished("export", "crawl", "--to", "refused", "-o", "-", cwd=cwd).out == written
    listed = Counter(json.loads(line)["reason"] for line in written.splitlines())
    assert listed["robots"] == summary["refused"]["robots"] > 0
    assert sum(listed.values()) == found["totals"]["left_out"]
    assert found["left_out"] == summary["left_out"]
    assert "nothing failed" not in found["verdict"]


def test_hosts_are_not_told_twice_in_the_same_order() -> None:
    same = shown(hand_made(a_page("a.test", 1), a_page("a.test", 2), a_page("b.test", 1)))
    assert "Hosts with most pages" in same
    assert "Hosts with most bytes" not in same
    large = PageRow("http://b.test/", 200, 1e9, 1, body_bytes=10**6)
    assert "Hosts with most bytes" in shown(hand_made(a_page("a.test", 1), a_page("a.test", 2), large))


def test_a_servers_words_neither_move_the_cursor_nor_style_the_text() -> None:
    report = hand_made(a_page("a.test", 1, mime="text/\x1b[2J[red]html[/]\r\n"))
    text = "\n".join(shown(report))
    assert ESCAPE not in text
    assert "text/\ufffd[2J[red]html[/]\ufffd\ufffd" in text


def test_bytes_and_times_have_the_unit_that_suits_them() -> None:
    assert [size(n) for n in (0, 999, 1000, 1_500_000, 2 * 10**9)] == ["0 B", "999 B", "1.0 KB", "1.5 MB", "2.0 GB"]
    assert [span(s) for s in (0, 0.0005, 0.0123, 1.5)] == ["0 µs", "500 µs", "12.3 ms", "1.50 s"]
