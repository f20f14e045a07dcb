"""Large, deep and strange pages do not stop it."""

from __future__ import annotations

import pytest
import uvloop

from tests.postgres import Postgres
from weft.clean import PRESETS, Form
from weft.clean.bulk import Cleaning, Sizes
from weft.clean.bulk.tables.columns import Queue
from weft.clean.bulk.tables.job import open_table_job

from .databases import MOSTLY_SQLITE, Place, assert_all_cleaned, postgres_place, small_pages

MB = 1_000_000


def clean(queue: Place, sizes: Sizes | None = None) -> Cleaning:
    sizes = sizes or Sizes()
    bulk = Cleaning(open_table_job(queue.url, queue.url, None, Queue.TAKE, sizes), PRESETS["paper"], Form.HTML, sizes)
    assert uvloop.run(bulk.run())
    return bulk


@MOSTLY_SQLITE
@pytest.mark.parametrize("huge_bytes", [15 * MB, pytest.param(50 * MB, marks=pytest.mark.large)])
def test_a_huge_page_and_one_of_200_000_levels_do_not_stop_it(queue: Place, huge_bytes: int) -> None:
    pages = small_pages(40)
    queue.fill(pages)
    huge, deep = "http://site.test/huge", "http://site.test/deep"
    sentence = "<p>One more line of a page that has no end.<br>\n"
    queue.insert([(huge, sentence * (huge_bytes // len(sentence))), (deep, "<div>" * 200_000 + "at the bottom")])
    more = small_pages(80)[40:]
    queue.insert(more)
    bulk = clean(queue)
    done, aside = queue.cleaned(), queue.aside()
    assert bulk.totals.pages == 82
    assert {huge, deep} <= {*done, *aside}
    assert "at the bottom" in done.get(deep, "at the bottom")
    assert huge in aside or len(done[huge]) >= 0.6 * huge_bytes
    for url in {huge, deep} & {*done}:
        queue.run(f"DELETE FROM cleaned WHERE url = '{url}'")
    assert_all_cleaned(queue, [*pages, *more])


def test_a_page_beyond_the_largest_size_is_set_aside_unread(queue: Place) -> None:
    queue.fill([*small_pages(3), ("http://site.test/x", "<p>" + "x" * 5000)])
    clean(queue, Sizes(large_bytes=2000, largest_bytes=4000))
    assert queue.aside() == {"http://site.test/x": "it has 5,003 bytes"}
    assert_all_cleaned(queue, small_pages(3))


def test_a_large_page_is_cleaned_alone(queue: Place) -> None:
    pages = small_pages(6, padding_chars=3000)
    queue.fill(pages)
    clean(queue, Sizes(large_bytes=2000))
    assert_all_cleaned(queue, pages)


@MOSTLY_SQLITE
def test_a_page_that_takes_more_memory_than_it_may_is_set_aside(queue: Place) -> None:
    queue.fill([*small_pages(3), ("http://site.test/x", "<p>x" * 3_000_000)])
    bulk = clean(queue, Sizes(memory_bytes=200 * MB))
    assert queue.aside().keys() == {"http://site.test/x"}
    assert bulk.totals.cleaned == 3


def test_a_zero_in_a_page_does_not_stop_postgres(server: Postgres) -> None:
    queue = postgres_place(server)
    queue.run("CREATE TABLE pages (url text PRIMARY KEY, content bytea)")
    queue.insert([("http://site.test/0", b"<title>a\0b</title><p>word0 \0 &#0; <plaintext>\0")])
    clean(queue)
    assert "word0" in queue.cleaned()["http://site.test/0"]
