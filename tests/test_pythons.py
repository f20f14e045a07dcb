from __future__ import annotations

from pathlib import Path

from tests.pythons import Result, read_report, table

REPORT = """<?xml version="1.0" encoding="utf-8"?>
<testsuites><testsuite name="pytest" errors="1" failures="2" skipped="3" tests="10" time="1.0"/></testsuites>"""


def test_what_neither_failed_nor_was_skipped_has_passed(tmp_path: Path) -> None:
    (tmp_path / "report.xml").write_text(REPORT)
    assert read_report("3.11.2", tmp_path / "report.xml") == Result("3.11.2", 4, 3, 3)


def test_tests_without_a_report_are_no_success(tmp_path: Path) -> None:
    assert not read_report("3.11.2", tmp_path / "report.xml").is_good
    assert not Result("3.11.2", passed=0).is_good
    assert not Result("3.11.2", passed=9, failed=1).is_good
    assert Result("3.11.2", passed=9, skipped=1).is_good


def test_each_interpreter_has_a_line() -> None:
    assert table([Result("3.11.2", 9, 0, 1), Result("3.12.1-without-c", trouble="no wheel")]) == [
        "interpreter             passed  failed skipped",
        "3.11.2                       9       0       1",
        "3.12.1-without-c             0       0       0  no wheel",
    ]
