"""What stands in the columns of Common Crawl's index."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from weft.export.columns import HOST_COLUMNS, columns_of_page, columns_of_robots, parts_of_host
from weft.export.languages import three_letters
from weft.types import Original, PageRow, SideRow

FETCHED_AT = 1_800_000_000.25


def page(url: str = "http://a.example/", status: int = 200, **fields: object) -> PageRow:
    return PageRow(url=url, status=status, fetched_at=FETCHED_AT, depth=1, **fields)  # type: ignore[arg-type]


def original() -> Original:
    return Original("http://a.example/first", FETCHED_AT, "sha1:X", 1, 2, 3)


def test_a_page_fills_the_columns() -> None:
    row = page(
        "https://www.news.example.co.uk:8443/A/b?y=2&x=1",
        mime="text/html",
        charset="windows-1252",
        digest="sha1:ABC",
        offset=77,
        length=99,
        truncated="length",
    )
    assert columns_of_page(row, "w.warc.gz", "mine", redirect=None, languages="deu", detected="application/pdf") == {
        "url_surtkey": "uk,co,example,news:8443)/a/b?x=1&y=2",
        "url": "https://www.news.example.co.uk:8443/A/b?y=2&x=1",
        "url_host_name": "www.news.example.co.uk",
        "url_host_tld": "uk",
        "url_host_2nd_last_part": "co",
        "url_host_3rd_last_part": "example",
        "url_host_4th_last_part": "news",
        "url_host_5th_last_part": "www",
        "url_host_registry_suffix": "co.uk",
        "url_host_registered_domain": "example.co.uk",
        "url_host_private_suffix": "co.uk",
        "url_host_private_domain": "example.co.uk",
        "url_host_name_reversed": "uk.co.example.news.www",
        "url_protocol": "https",
        "url_port": 8443,
        "url_path": "/A/b",
        "url_query": "y=2&x=1",
        "fetch_time": datetime(2027, 1, 15, 8, 0, 0, 250_000, UTC),
        "fetch_status": 200,
        "fetch_redirect": None,
        "content_digest": "ABC",
        "content_mime_type": "text/html",
        "content_mime_detected": "application/pdf",
        "content_charset": "WINDOWS-1252",
        "content_languages": "deu",
        "content_truncated": "length",
        "warc_filename": "w.warc.gz",
        "warc_record_offset": 77,
        "warc_record_length": 99,
        "warc_segment": "",
        "crawl": "mine",
        "subset": "warc",
    }


def test_what_is_not_known_is_null() -> None:
    columns = columns_of_page(page(), "w.warc.gz", "mine")
    for name in ("url_port", "url_query", "content_digest", "content_mime_type", "content_charset"):
        assert columns[name] is None


@pytest.mark.parametrize(
    ("host", "filled"),
    [
        # name, five parts from the end, registry's suffix and domain, private suffix and domain, reversed
        ("example.com", "example.com com example - - - com example.com com example.com com.example"),
        ("a.b.github.io", "a.b.github.io io github b a - io github.io github.io b.github.io io.github.b.a"),
        ("github.io", "github.io io github - - - io github.io github.io - io.github"),
        ("co.uk", "co.uk uk co - - - co.uk - co.uk - uk.co"),
        ("example.com.", "example.com com example - - - com example.com com example.com com.example"),
        ("localhost", "localhost localhost - - - - - - - - localhost"),
        ("a.b.c.d.e.com", "a.b.c.d.e.com com e d c b com e.com com e.com com.e.d.c.b.a"),
        ("192.0.2.7", "192.0.2.7 - - - - - - - - - -"),
        ("2001:db8::1", "[2001:db8::1] - - - - - - - - - -"),
        ("xn--e-9fa.de", "xn--e-9fa.de de xn--e-9fa - - - de xn--e-9fa.de de xn--e-9fa.de de.xn--e-9fa"),
    ],
)  # fmt: skip
def test_a_host_is_taken_apart(host: str, filled: str) -> None:
    assert parts_of_host(host) == tuple(None if part == "-" else part for part in filled.split())
    assert len(filled.split()) == len(HOST_COLUMNS)


@pytest.mark.parametrize(
    ("url", "port"),
    [
        ("http://a.example/b:1", None),
        ("http://a.example:81/", 81),
        ("http://[2001:db8::1]/", None),
        ("http://[2001:db8::1]:81/", 81),
    ],
)
def test_the_port_is_the_one_that_the_url_names(url: str, port: int | None) -> None:
    assert columns_of_page(page(url), "w", "c")["url_port"] == port


def test_an_empty_query_is_not_the_same_as_none() -> None:
    assert columns_of_page(page("http://a.example/?"), "w", "c")["url_query"] == ""


@pytest.mark.parametrize(
    ("row", "subset"),
    [
        (page(), "warc"),
        (page(original=original()), "revisit"),
        (page(status=301), "crawldiagnostics"),
        (page(status=404, original=original()), "crawldiagnostics"),
    ],
)
def test_the_subset_tells_what_a_record_holds(row: PageRow, subset: str) -> None:
    assert columns_of_page(row, "w", "c")["subset"] == subset


def test_a_robots_txt_is_a_row_of_its_own_subset() -> None:
    side = SideRow("http://a.example/robots.txt", FETCHED_AT, 200, "text/plain", "sha1:ABC", 99, 12)
    columns = columns_of_robots(side, 77, "w.warc.gz", "mine")
    assert (columns["subset"], columns["url_path"]) == ("robotstxt", "/robots.txt")
    assert (columns["warc_record_offset"], columns["warc_record_length"]) == (77, 99)


@pytest.mark.parametrize(
    ("tag", "code"),
    [("de", "deu"), ("DE-at", "deu"), ("zh-Hans", "zho"), ("gsw", "gsw"), ("", None), ("xx", None), ("english", None)],
)
def test_languages_have_three_letters(tag: str, code: str | None) -> None:
    assert three_letters(tag) == code
