"""The log on standard error: one line a record whatever it says, and nobody waits for who reads it."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from weft.cli.log import MOST_BYTES, MOST_IN_A_PERIOD, Form, LineHandler, LinesAsRecords, printable

PIPE_BYTES = 65_536
NASTY = 'evil.test\n2026-01-01T00:00:00.000Z ERROR weft.crawl: forged\r\x1b[2J\x9b31m\u2028\u202e\ud800\x00"}'


class Piped:
    """A logger that writes into a pipe."""

    def __init__(self, form: Form) -> None:
        self.reader, self.writer = os.pipe()
        os.set_blocking(self.reader, False)
        self.handler = LineHandler(self.writer, form)
        self.name = "weft.tested"

    def log(self, message: str, level: int = logging.WARNING, **figures: object) -> None:
        """As the library logs."""
        record = logging.LogRecord(self.name, level, "", 0, "%s", (message,), None)
        record.figures = figures
        self.handler.handle(record)

    def lines(self) -> list[str]:
        """All that has arrived."""
        try:
            return os.read(self.reader, 2 * PIPE_BYTES).decode().splitlines()
        except BlockingIOError:
            return []

    def close(self) -> None:
        for descriptor in (self.reader, self.writer):
            if descriptor >= 0:
                os.close(descriptor)


@pytest.fixture(params=Form)
def piped(request: pytest.FixtureRequest) -> Iterator[Piped]:
    pipe = Piped(request.param)
    yield pipe
    pipe.close()


@pytest.fixture
def text() -> Iterator[Piped]:
    pipe = Piped(Form.TEXT)
    yield pipe
    pipe.close()


def test_whatever_a_host_is_called_it_is_one_line_of_printable_characters(piped: Piped) -> None:
    piped.log(NASTY)
    (line,) = piped.lines()
    assert line.isprintable()
    assert "evil.test\\n" in line


def test_json_has_the_very_message_and_the_figures_which_replace_nothing() -> None:
    pipe = Piped(Form.JSON)
    pipe.log("a\nb", pages=3, logger="not this", level=logging.INFO)
    line = json.loads(pipe.lines()[0])
    pipe.close()
    assert line["message"] == "a\nb"
    assert (line["level"], line["logger"], line["pages"]) == ("info", "weft.tested", 3)
    assert line["time"].endswith("Z")


def test_a_line_is_never_longer_than_what_a_pipe_takes_at_once(piped: Piped) -> None:
    for char in ("x", "é", "\x1b", "\U0001f600"):
        piped.log(char * 100_000, pages=1)
        (line,) = piped.lines()
        assert 100 < len(line.encode()) < MOST_BYTES
        assert not line.startswith("{") or json.loads(line)["level"] == "warning"


def test_a_reader_that_does_not_read_delays_nobody_and_is_told_what_it_missed(piped: Piped) -> None:
    for _ in range(1_000):
        piped.log("x" * 1_000, level=logging.ERROR)  # a thousand times more than a pipe holds
    arrived = piped.lines()
    assert 10 < len(arrived) < 100
    piped.log("another", level=logging.ERROR)
    told, last = piped.lines()
    assert f"{1_000 - len(arrived):,} lines were lost" in told
    assert "another" in last


def test_a_reader_that_has_gone_away_ends_nothing(piped: Piped) -> None:
    os.close(piped.reader)
    piped.reader = -1
    piped.log("to nobody")


def test_a_descriptor_that_was_closed_ends_nothing(piped: Piped) -> None:
    os.close(piped.writer)
    piped.writer = -1
    piped.log("to nobody")


def test_a_million_dead_hosts_do_not_fill_the_log(text: Piped, monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0
    monkeypatch.setattr("weft.cli.log.time.monotonic", lambda: now)
    for number in range(10_000):
        text.log(f"host{number}.test is left")
    assert len(text.lines()) == MOST_IN_A_PERIOD
    text.log("an error is always told", level=logging.ERROR)
    left_out, error = text.lines()
    assert f"{10_000 - MOST_IN_A_PERIOD:,} lines were left out" in left_out
    assert "always told" in error
    now += 10.0
    text.log("the next period has begun")
    assert "next period" in text.lines()[-1]


def test_lines_for_the_journal_begin_with_their_priority(monkeypatch: pytest.MonkeyPatch) -> None:
    reader, writer = os.pipe()
    place = os.fstat(writer)
    monkeypatch.setenv("JOURNAL_STREAM", f"{place.st_dev}:{place.st_ino}")
    handler = LineHandler(writer, Form.TEXT)
    for level in (logging.ERROR, logging.WARNING, logging.INFO, logging.DEBUG):
        handler.handle(logging.LogRecord("weft.x", level, "", 0, "said", None, None))
    lines = os.read(reader, PIPE_BYTES).decode().splitlines()
    assert [line[:3] for line in lines] == ["<3>", "<4>", "<6>", "<7>"]
    os.close(reader)
    os.close(writer)


def test_what_else_is_printed_becomes_records(caplog: pytest.LogCaptureFixture) -> None:
    stream = LinesAsRecords(2)
    print("weft: first", file=stream)
    print("second\nthird", end="", file=stream)
    assert [record.getMessage() for record in caplog.records] == ["first", "second"]
    print(file=stream)
    assert caplog.records[-1].getMessage() == "third"
    assert {record.name for record in caplog.records} == {"weft.stderr"}


def test_printable_text_stays_as_it_is() -> None:
    assert printable("höst.test: 3 × 2 … 北京") == "höst.test: 3 × 2 … 北京"
    assert printable("\x1b]0;title\x07") == "\\x1b]0;title\\x07"


def test_a_library_that_nobody_listens_to_says_nothing(tmp_path: Path) -> None:
    program = "from weft.logs import logger; logger('hosts').warning('nobody wants to know')"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=tmp_path, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
