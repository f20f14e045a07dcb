"""From table to table, in SQLite and PostgreSQL: all pages arrive, once, and the queue is treated as was asked for."""

from __future__ import annotations

from pathlib import Path

import pytest
import uvloop

from tests.postgres import Postgres
from weft.clean import PRESETS, Cleaned, Form
from weft.clean.bulk import Cleaning, Sizes, Totals
from weft.clean.bulk.ports import LoadsLarge, Result
from weft.clean.bulk.tables.columns import Names, Queue
from weft.clean.bulk.tables.job import open_table_job
from weft.errors import BadInput

from .databases import MakePlace, Place, assert_all_cleaned, postgres_place, small_pages, sqlite_place

SMALL = Sizes(read_rows=30, block_pages=10, buffer_blocks=3, write_rows=10, workers=2)


def clean(
    queue: Place, out: Place, mode: Queue = Queue.KEEP, names: Names | None = None, form: Form = Form.HTML
) -> Totals:
    job = open_table_job(queue.url, out.url, names, mode, SMALL)
    cleaning = Cleaning(job, PRESETS["paper"], form, SMALL)
    assert uvloop.run(cleaning.run())
    return cleaning.totals


@pytest.mark.parametrize("mode", Queue)
@pytest.mark.parametrize("is_same", [True, False], ids=["same database", "another database"])
def test_every_page_is_cleaned_once_and_the_second_run_has_nothing_to_do(
    make_place: MakePlace, mode: Queue, is_same: bool
) -> None:
    queue = make_place()
    out = queue if is_same else make_place()
    pages = small_pages(75)
    queue.fill(pages)
    assert clean(queue, out, mode) == Totals(75, 0, sum(len(content) for _, content in pages), _chars(out))
    assert_all_cleaned(out, pages)
    assert queue.queued() == (set() if mode is Queue.TAKE else {url for url, _ in pages})
    if mode is Queue.MARK:
        assert queue.rows("SELECT count(*) FROM pages WHERE cleaned_at IS NULL") == [(0,)]
    assert clean(queue, out, mode).pages == 0
    assert_all_cleaned(out, pages)


def _chars(out: Place) -> int:
    return sum(map(len, out.cleaned().values()))


def test_what_comes_into_the_queue_later_is_cleaned_by_the_next_run(make_place: MakePlace) -> None:
    queue = make_place()
    pages = small_pages(40)
    queue.fill(pages[::2])
    clean(queue, queue)
    queue.insert(pages[1::2])
    assert clean(queue, queue).cleaned == 20
    assert_all_cleaned(queue, pages)


@pytest.mark.parametrize("mode", [Queue.MARK, Queue.TAKE])
def test_a_page_that_is_cleaned_again_replaces_itself(make_place: MakePlace, mode: Queue) -> None:
    queue, out = make_place(), make_place()
    pages = small_pages(5)
    queue.fill(pages)
    out.run("CREATE TABLE cleaned (url text PRIMARY KEY, content text)")
    out.insert([(pages[0][0], "as a run left it that was killed before it marked the page")], "cleaned")
    clean(queue, out, mode)
    assert_all_cleaned(out, pages)


def test_a_page_that_is_none_is_set_aside_with_its_reason_and_stays_in_the_queue(make_place: MakePlace) -> None:
    queue = make_place()
    queue.run("CREATE TABLE pages (url text PRIMARY KEY, content text, type text)")
    mark = "?" if queue.url.startswith("sqlite") else "%s"
    good, picture, empty, nothing = (
        "http://site.test/1",
        "http://site.test/p",
        "http://site.test/e",
        "http://site.test/n",
    )
    with queue.connected() as connection:
        connection.exec_driver_sql(
            f"INSERT INTO pages VALUES ({mark}, {mark}, {mark})",
            [
                (good, "<p>word1", "text/html; charset=big5"),
                (picture, "GIF89a", "image/gif"),
                (empty, "", None),
                (nothing, None, None),
            ],
        )
    totals = clean(queue, queue, Queue.TAKE)
    assert (totals.cleaned, totals.set_aside) == (1, 3)
    assert queue.cleaned().keys() == {good}
    assert queue.aside().keys() == {picture, empty, nothing}
    assert "image/gif" in queue.aside()[picture]
    assert queue.queued() == {picture, empty, nothing}
    assert clean(queue, queue, Queue.TAKE).pages == 0


def test_title_language_and_charset_are_kept_beside_the_content(make_place: MakePlace) -> None:
    queue = make_place()
    page = '<html lang="de"><head><title>Über uns</title></head><body><p>Straße</p></body></html>'
    queue.fill([("http://site.test/", page)])
    clean(queue, queue)
    ((content, *beside),) = queue.rows("SELECT content, title, language, charset FROM cleaned")
    assert "Straße" in content
    assert "Über uns" not in content
    assert beside == ["Über uns", "de", "utf-8"]


def test_tables_and_columns_may_have_other_names(make_place: MakePlace) -> None:
    queue, out = make_place(), make_place()
    queue.run('CREATE TABLE "Raw pages" ("the url" text PRIMARY KEY, "100%" text)')
    pages = small_pages(3)
    queue.insert(pages, '"Raw pages"')
    names = Names(
        in_table="Raw pages",
        out_table="select",
        in_columns={"url": "the url", "content": "100%"},
        out_columns={"url": "u%", "title": "order"},
    )
    clean(queue, out, Queue.TAKE, names)
    titles = out.rows('SELECT "order" FROM "select"')
    assert sorted(titles) == [("title 0",), ("title 1",), ("title 2",)]
    assert queue.rows('SELECT * FROM "Raw pages"') == []


def test_a_table_that_is_there_gets_what_it_has_columns_for(make_place: MakePlace) -> None:
    queue = make_place()
    queue.fill(small_pages(3))
    kind = "BLOB" if queue.url.startswith("sqlite") else "bytea"
    queue.run(f"CREATE TABLE cleaned (content {kind}, url text UNIQUE, title text)")
    clean(queue, queue)
    rows = queue.rows("SELECT url, content, title FROM cleaned ORDER BY url")
    assert [(url, b"word" in bytes(content), title) for url, content, title in rows] == [
        (f"http://site.test/{number}", True, f"title {number}") for number in range(3)
    ]


def test_bytes_are_decoded_as_a_browser_would(make_place: MakePlace) -> None:
    queue = make_place()
    kind = "BLOB" if queue.url.startswith("sqlite") else "bytea"
    queue.run(f"CREATE TABLE pages (url text PRIMARY KEY, content {kind})")
    queue.insert([("http://site.test/", "<meta charset=big5><p>中文網頁".encode("big5"))])
    clean(queue, queue)
    assert "中文網頁" in queue.cleaned()["http://site.test/"]
    assert queue.rows("SELECT charset FROM cleaned") == [("big5",)]


def test_text_that_is_no_utf8_does_not_stop_sqlite(tmp_path: Path) -> None:
    queue = sqlite_place(tmp_path)
    queue.fill(small_pages(2))
    queue.run("INSERT INTO pages VALUES ('http://site.test/x', CAST(x'3C703E776F7264FF' AS TEXT))")
    clean(queue, queue)
    assert "<p>word" in queue.cleaned()["http://site.test/x"]


def test_the_same_url_in_several_rows_is_there_once(make_place: MakePlace) -> None:
    queue = make_place()
    queue.run("CREATE TABLE pages (url text, content text)")
    pages = small_pages(4)
    queue.insert([*pages, *pages, *pages])
    clean(queue, queue)
    assert_all_cleaned(queue, pages)


@pytest.mark.parametrize("mode", [Queue.MARK, Queue.TAKE])
def test_what_was_written_after_the_reading_stays_to_be_cleaned(make_place: MakePlace, mode: Queue) -> None:
    queue = make_place()
    queue.run("CREATE TABLE pages (url text, content text, cleaned_at timestamp)", "CREATE INDEX by_url ON pages (url)")
    queue.run("INSERT INTO pages (url, content) VALUES ('/twice', 'one'), ('/twice', 'two'), ('/changed', 'three')")
    job = open_table_job(queue.url, queue.url, None, mode, Sizes(large_bytes=1))
    source = job.source
    assert isinstance(source, LoadsLarge)
    pages = list(source.read(10))
    queue.run(*_changes_behind(queue), "INSERT INTO pages (url, content) VALUES ('/twice', 'later')")
    loaded = [source.load(page) for page in pages[:2]]
    job.sink.write([Result(page, Cleaned("")) for page in [*loaded, pages[2]]])
    job.sink.close()
    assert [page.content for page in loaded] == [b"one", b"two"]
    assert set(queue.rows("SELECT content FROM pages WHERE cleaned_at IS NULL")) == {("new",), ("later",)}


def _changes_behind(queue: Place) -> tuple[str, ...]:
    """The last row is another one afterwards: in SQLite, where ids are used again, in the same place."""
    if queue.url.startswith("sqlite"):
        return "DELETE FROM pages WHERE rowid = 3", "INSERT INTO pages (url, content) VALUES ('/another', 'new')"
    return ("UPDATE pages SET content = 'new' WHERE url = '/changed'",)


@pytest.mark.parametrize("mode", [Queue.MARK, Queue.TAKE])
def test_a_row_of_sqlite_whose_url_is_no_utf8_leaves_the_queue(tmp_path: Path, mode: Queue) -> None:
    queue = sqlite_place(tmp_path)
    queue.fill(small_pages(2))
    queue.run("INSERT INTO pages VALUES (CAST(x'2FFF' AS TEXT), '<p>word')")
    assert clean(queue, queue, mode).cleaned == 3
    assert clean(queue, queue, mode).cleaned == 0


def test_what_the_user_may_not_do_is_told_in_one_sentence(server: Postgres) -> None:
    queue = postgres_place(server)
    queue.fill(small_pages(2))
    name = queue.url.rpartition("/")[2].partition("?")[0]
    queue.run(f"CREATE ROLE guest_{name} LOGIN", f"GRANT SELECT ON pages TO guest_{name}")
    guest = server.url(user=f"guest_{name}", database=name)
    with pytest.raises(BadInput, match="permission denied for schema public") as told:
        open_table_job(guest, guest)
    assert "\n" not in str(told.value)


def test_a_view_can_be_cleaned_from_postgres(server: Postgres) -> None:
    queue = postgres_place(server)
    pages = small_pages(6)
    queue.fill(pages, "raw")
    queue.run("CREATE SCHEMA web", "CREATE VIEW web.pages AS SELECT url, content FROM raw")
    clean(queue, queue, names=Names(in_table="web.pages", out_table="web.cleaned"))
    assert queue.rows("SELECT count(*) FROM web.cleaned") == [(6,)]


@pytest.mark.parametrize(
    ("statements", "names", "mode", "words"),
    [
        ((), Names(), Queue.KEEP, "no table pages"),
        (("CREATE TABLE page (url text)",), Names(), Queue.KEEP, "did you mean page?"),
        (("CREATE TABLE pages (url text PRIMARY KEY, contents text)",), Names(), Queue.KEEP, "did you mean contents?"),
        (
            ("CREATE TABLE pages (url text PRIMARY KEY, content text)",),
            Names(in_columns={"type": "mime"}),
            Queue.KEEP,
            "no column mime",
        ),
        (
            (
                "CREATE TABLE pages (url text PRIMARY KEY, content text)",
                "CREATE TABLE cleaned (url text, content text)",
            ),
            Names(),
            Queue.KEEP,
            "needs a primary key",
        ),
        (("CREATE TABLE pages (url text, content text)",), Names(out_table="pages"), Queue.KEEP, "cannot be both"),
        (
            ("CREATE TABLE raw (url text, content text)", "CREATE VIEW pages AS SELECT url, content FROM raw"),
            Names(),
            Queue.TAKE,
            "is a view",
        ),
    ],
)
def test_what_does_not_fit_is_told_in_one_sentence(
    make_place: MakePlace, statements: tuple[str, ...], names: Names, mode: Queue, words: str
) -> None:
    place = make_place()
    place.run("SELECT 1", *statements)
    with pytest.raises(BadInput, match=words) as told:
        open_table_job(place.url, place.url, names, mode)
    assert "\n" not in str(told.value)
