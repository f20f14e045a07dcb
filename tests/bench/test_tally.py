from __future__ import annotations

from bench.tally import page_key, tally

TRUTH = frozenset(page_key("127.0.1.1", path) for path in ("/", "/a b.html", "/c.html"))


def test_a_page_counts_once_and_what_is_fetched_again_is_told() -> None:
    log = ["GET 200 127.0.1.1 /", "GET 200 127.0.1.1 /c.html", "GET 200 127.0.1.1 /c.html"]
    counted = tally(log, TRUTH)
    assert (counted.pages, counted.missed, counted.twice, counted.requests) == (2, 1, 1, 3)


def test_a_page_is_the_same_however_its_path_is_escaped() -> None:
    assert tally(["GET 200 127.0.1.1 /a%20b.html", "GET 200 127.0.1.1 /a%20%62.html"], TRUTH).twice == 1


def test_a_failure_a_question_for_the_head_and_a_page_unknown_are_no_pages() -> None:
    log = [
        "GET 444 127.0.1.1 /",
        "HEAD 200 127.0.1.1 /c.html",
        "GET 200 127.0.1.2 /c.html",
        "GET 404 127.0.1.1 /c.html",
    ]
    counted = tally(log, TRUTH)
    assert (counted.pages, counted.missed, counted.twice) == (0, 3, 0)


def test_a_failure_before_a_page_does_not_make_it_fetched_twice() -> None:
    assert tally(["GET 444 127.0.1.1 /", "GET 200 127.0.1.1 /"], TRUTH).twice == 0


def test_what_robots_txt_forbids_is_counted_apart() -> None:
    counted = tally(["GET 200 127.0.1.1 /robots.txt", "GET 404 127.0.1.1 /private/1.html"], TRUTH)
    assert (counted.robots, counted.forbidden, counted.pages) == (1, 1, 0)
