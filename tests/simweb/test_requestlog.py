from __future__ import annotations

from pathlib import Path

import pytest

from weft.simweb import Request, RequestLog
from weft.simweb.requestlog import read_log, write_log


def request(host: str, started_at: float, ended_at: float | None, path: str = "/", status: int = 200) -> Request:
    return Request(host, path, 1, started_at, ended_at, status)


def test_peak_concurrency_counts_requests_under_way_at_once() -> None:
    log = RequestLog(
        [
            request("a", 1, 4),
            request("a", 2, 3),
            request("a", 4, 5),
            request("b", 1, 2),
            request("b", 2, None),
        ]
    )
    assert log.peak_concurrency() == {"a": 2, "b": 1}


def test_least_gap_is_from_the_end_of_a_response_to_the_next_request() -> None:
    log = RequestLog([request("a", 1, 2), request("b", 1, 9), request("a", 5, 6), request("a", 7.5, 8)])
    assert log.least_gap_s() == {"a": 1.5}


def test_least_gap_is_negative_when_requests_overlap() -> None:
    log = RequestLog([request("a", 1, 10), request("a", 2, 3), request("a", 12, 13)])
    assert log.least_gap_s() == {"a": -8}


def test_requests_by_url_leave_robots_out_unless_asked() -> None:
    first, robots, second = request("a", 1, 2), request("a", 3, 4, "/robots.txt"), request("a", 5, 6)
    log = RequestLog([first, robots, second])
    assert log.requests_by_url() == {"http://a/": [first, second]}
    assert log.requests_by_url(81, robots=True) == {
        "http://a:81/": [first, second],
        "http://a:81/robots.txt": [robots],
    }


def test_requests_by_url_know_their_scheme_and_leave_failed_handshakes_and_redirected_robots_out() -> None:
    plain, secure = request("a", 1, 2), Request("a", "/", 1, 3, 4, 200, scheme="https", sni="a")
    handshake = Request("a", "", 2, 5, 6, 0, "tls-expired", scheme="https", sni="a")
    robots = request("a", 7, 8, "/rules/7/0/robots.txt")
    log = RequestLog([plain, secure, handshake, robots])
    assert log.requests_by_url(81, https_port=444) == {"http://a:81/": [plain], "https://a:444/": [secure]}
    assert log.requests_by_url().keys() == {"http://a/", "https://a/"}
    assert log.least_gap_s() == {"a": 1}  # all of them are visits


def test_requests_can_be_looked_at_by_address() -> None:
    one, two, three = (Request(host, "/", 1, 1 + at, 2.5 + at, 200, "", "127.1.0.1") for at, host in enumerate("abc"))
    other = Request("a", "/", 1, 1, 2, 200, "", "::1")
    log = RequestLog([one, two, three, other])
    assert log.requests_by_address() == {"127.1.0.1": [one, two, three], "::1": [other]}
    assert log.peak_concurrency("address") == {"127.1.0.1": 2, "::1": 1}
    assert log.peak_concurrency("host") == {"a": 2, "b": 1, "c": 1}
    assert log.least_gap_s("address") == {"127.1.0.1": -0.5}


def test_peak_rate_counts_the_starts_within_any_window() -> None:
    starts = [0.0, 0.4, 0.9, 1.0, 1.3, 5.0]
    log = RequestLog(Request("a", "/", 1, at, at, 200, "", "127.1.0.1") for at in starts)
    assert log.peak_rate() == {"127.1.0.1": 4}  # 0.4, 0.9, 1.0 and 1.3; at 1.0 the one at 0.0 is a second ago
    assert log.peak_rate("host", window_s=0.2) == {"a": 2}
    assert log.peak_rate("host", window_s=10) == {"a": 6}


def test_counting_only_keeps_no_requests() -> None:
    log = RequestLog(counting_only=True)
    started = log.start("a", "/", 1, 1.0)
    started.status = 404
    log.end(started, 2.0)
    assert len(log) == 0
    assert log.totals == {"404": 1}


def test_a_log_is_read_as_it_was_written(tmp_path: Path) -> None:
    log = RequestLog(
        [
            request("a", 1, 2),
            request("a", 3, None),
            Request("b", "/x?y", 7, 1.5, 2.5, 0, "reset", "::1", "https", "b", "::2"),
        ]
    )
    write_log(log, tmp_path / "log")
    again = read_log(tmp_path / "log")
    assert again == log
    assert again.totals == log.totals


@pytest.mark.parametrize(
    ("ended_at", "status", "fault", "whole"),
    [(2.0, 200, "", True), (None, 200, "", False), (2.0, 0, "", False), (2.0, 200, "close-in-body", False)],
)
def test_only_an_ended_request_without_fault_is_whole(
    ended_at: float | None, status: int, fault: str, whole: bool
) -> None:
    assert Request("a", "/", 1, 1.0, ended_at, status, fault).whole is whole
