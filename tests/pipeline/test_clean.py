"""`weft crawl --with`: each HTML page is in the archive in other forms, too, beside its response."""

from __future__ import annotations

import io
import json
import random
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, get_args

import pytest
from warcio.archiveiterator import ArchiveIterator

from tests.export.judged_crawl import HOME, HOSTS, sites
from tests.export.judges import judge, running_pywb
from tests.scratch import scratch_folder
from weft.clean import PRESETS, Cleaner, Form
from weft.config import CleanPreset, PageForm
from weft.export import Content, Source
from weft.export.lines import write_jsonl
from weft.folder.kept_forms import kept_forms
from weft.folder.reading import CrawlReader
from weft.folder.repair import repair
from weft.pipeline.engine import Ending
from weft.simweb import SimProcess, SimWeb, Truth
from weft.simweb.behaviour import Fixed
from weft.types import Conversion, PageRow

from .crawling import CrawlFiles, assert_archive_is_consistent, assert_fetched_the_truth, quick_config, resume
from .engine_process import prepare_folder
from .small_web import Sites, SmallWeb, page
from .test_kills import kill_group, run_with_kills, small_web

TYPES = {"html": "text/html", "text": "text/plain", "markdown": "text/markdown", "article": "text/markdown"}


def crawl(folder: Path, pages: Callable[[SimWeb], Sites] = sites, **changes: Any) -> tuple[SmallWeb, CrawlFiles]:
    """A crawl of a web that has a bit of everything, unless another one is given."""
    web = SmallWeb(HOSTS, pages)
    if pages is sites:  # its revisits refer to what an earlier run has synced
        ending, files = web.crawl_then(folder, HOME, lambda: resume(folder, depth=None), depth=1, **changes)
    else:
        ending, files = web.crawl(folder, HOME, **changes)
    assert ending is Ending.DONE
    return web, files


def few_pages(_: SimWeb) -> Sites:
    """A web that takes no time."""
    text = "<!DOCTYPE html><html lang=de><title>Über</title><script>no</script><p onclick=x>Grüße an <b>alle</b>!"
    return {
        (HOME, "/"): page("/text", "/gone", "/style.css"),
        (HOME, "/text"): Fixed(text.encode("cp1252"), content_type="text/html; charset=windows-1252"),
        (HOME, "/gone"): Fixed(b"<title>404</title>nothing here", 404),
        (HOME, "/style.css"): Fixed(b"p {}", content_type="text/css"),
    }


class Cleaned(NamedTuple):
    """A crawl that cleaned its pages as text."""

    folder: Path
    web: SmallWeb
    files: CrawlFiles


@pytest.fixture(scope="module")
def cleaned() -> Iterator[Cleaned]:
    with scratch_folder() as scratch:
        yield Cleaned(scratch / "crawl", *crawl(scratch / "crawl", with_forms=("text",)))


def records_of(files: CrawlFiles) -> list[tuple[str, dict[str, str], bytes]]:
    """All records as warcio reads them, in their order: type, header, block."""
    found: list[tuple[str, dict[str, str], bytes]] = []
    for path in files.warcs:
        with path.open("rb") as file:
            records = ArchiveIterator(file, no_record_parse=True)
            found += [(one.rec_type, dict(one.rec_headers.headers), one.raw_stream.read()) for one in records]
    return found


def conversions_in(files: CrawlFiles) -> list[tuple[str, dict[str, str], str]]:
    """The conversion records: URL of the page, header, content."""
    return [
        (fields["WARC-Target-URI"].removeprefix(f"urn:{fields['Weft-Form']}:"), fields, block.decode())
        for kind, fields, block in records_of(files)
        if kind == "conversion"
    ]


def html_urls(folder: Path) -> list[str]:
    """The URLs of HTML pages with a 2xx status."""
    with CrawlReader(folder) as reader:
        return sorted(page.url for page in reader.pages() if 200 <= page.status < 300 and page.is_html and page.body)


def test_each_html_page_has_one_conversion_record(cleaned: Cleaned) -> None:
    assert sorted(url for url, _, _ in conversions_in(cleaned.files)) == html_urls(cleaned.folder)
    cleaner = Cleaner(PRESETS["none"], Form.TEXT)
    content = {url: text for url, _, text in conversions_in(cleaned.files)}
    with CrawlReader(cleaned.folder) as reader:
        pages = {page.url: page for page in reader.pages()}
        for url, text in content.items():
            page = pages[url]
            assert text == cleaner.clean(page.body, url, page.headers.get("content-type", "")).content
    assert "Das steht an zwei Stellen." in content[cleaned.web.url(HOME, "/chunks")]


@pytest.mark.parametrize("form", TYPES)
def test_the_content_is_in_the_form_that_is_asked_for(form: str, tmp_path: Path) -> None:
    web, files = crawl(tmp_path / "crawl", few_pages, with_forms=(form,))
    found = {url: (fields, text) for url, fields, text in conversions_in(files)}
    assert found.keys() == {web.url(HOME), web.url(HOME, "/text")}
    fields, content = found[web.url(HOME, "/text")]
    assert fields["Content-Type"] == f"{TYPES[form]}; charset=utf-8"
    told = [fields[f"Weft-{name}"] for name in ("Form", "Title", "Language", "Charset")]
    assert told == [form, "Über", "de", "windows-1252"]
    assert "Grüße" in content
    assert ("<p" in content) == (form == "html")
    assert ("**alle**" in content) == (TYPES[form] == "text/markdown")
    assert_archive_is_consistent(files)


def test_the_rules_are_those_of_the_preset(tmp_path: Path) -> None:
    web, files = crawl(tmp_path / "crawl", few_pages, with_forms=("html",), clean_preset="safe")
    safe = Cleaner(PRESETS["safe"], Form.HTML)
    with CrawlReader(files.folder) as reader:
        (row,) = [row for row in reader.rows() if row.url == web.url(HOME, "/text")]
        kept = kept_forms(reader.place_of(row)).get("html")
        body = reader.page(row).body
    assert kept is not None
    assert kept.content == safe.clean(body, row.url, "text/html; charset=windows-1252").content
    assert kept.content != Cleaner().clean(body, row.url, "text/html; charset=windows-1252").content


def test_a_conversion_stands_between_the_response_that_it_refers_to_and_the_notes_of_its_page(cleaned: Cleaned) -> None:
    records = records_of(cleaned.files)
    by_id = {fields["WARC-Record-ID"]: (kind, fields) for kind, fields, _ in records}
    seen = Counter[str]()
    for (_, before, _), (kind, fields, _), (after, notes, _) in zip(records, records[1:], records[2:], strict=False):
        if kind == "conversion":
            of, response = by_id[fields["WARC-Refers-To"]]
            seen[of] += 1
            assert before["WARC-Concurrent-To"] == notes["WARC-Concurrent-To"] == fields["WARC-Refers-To"]
            assert after == "metadata"
            assert fields["WARC-Date"] == response["WARC-Date"]
            assert fields["WARC-Target-URI"] == "urn:text:" + response["WARC-Target-URI"]
    assert seen.keys() == {"response", "revisit"}


def kept(reader: CrawlReader, row: PageRow, form: str = "text") -> Conversion | None:
    return kept_forms(reader.place_of(row)).get(form) if row.file else None


def test_what_was_kept_is_read_back(cleaned: Cleaned) -> None:
    with CrawlReader(cleaned.folder) as reader:
        kept_of = {row.url: form for row in reader.rows() if (form := kept(reader, row)) is not None}
    assert sorted(kept_of) == html_urls(cleaned.folder)
    first = kept_of[cleaned.web.url(HOME, "/first")]
    assert (first.form, first.title, first.language) == ("text", "Zwei Kopien", "de")
    assert "zwei Stellen" in first.content
    assert kept_of[cleaned.web.url(HOME, "/copy?of=first")].content == first.content  # a revisit has its own


def test_what_was_kept_is_exported(cleaned: Cleaned) -> None:
    out = io.BytesIO()
    with CrawlReader(cleaned.folder) as reader:
        write_jsonl(Source(reader, content=Content(("text",))), out, lambda _: None)
        kept_of = {row.url: kept(reader, row) for row in reader.rows()}
    told = {page["url"]: page["text"] for page in map(json.loads, out.getvalue().splitlines())}
    assert {url: told[url] for url, form in kept_of.items() if form is not None} == {
        url: form.content for url, form in kept_of.items() if form is not None
    }
    assert "zwei Stellen" in told[cleaned.web.url(HOME, "/first")]


def test_a_crawl_without_it_has_none_and_differs_in_nothing_else(tmp_path: Path) -> None:
    def told(web: SmallWeb, files: CrawlFiles) -> tuple[list[tuple[str, str]], list[list[str]]]:
        home = web.url(HOME)
        records = [
            (kind, fields.get("WARC-Target-URI", "").removeprefix(home)) for kind, fields, _ in records_of(files)
        ]
        lines = [list(json.loads(line)) for line in (files.folder / "pages.jsonl").read_bytes().splitlines()]
        return sorted(one for one in records if one[0] != "conversion"), lines

    plain, cleaning = (
        crawl(tmp_path / str(len(forms)), few_pages, with_forms=forms) for forms in ((), ("html", "text"))
    )
    assert told(*plain) == told(*cleaning)
    assert [kind for kind, _, _ in records_of(plain[1]) if kind == "conversion"] == []
    with CrawlReader(plain[1].folder) as reader:
        assert [kept_forms(reader.place_of(row)) for row in reader.rows()] == [{}] * 4


def test_other_peoples_tools_find_no_fault_and_make_the_same_index(cleaned: Cleaned) -> None:
    checked = judge("warcio", "check", "-v", *cleaned.files.warcs)
    assert checked.returncode == 0, checked.stdout
    for path in cleaned.files.warcs:
        assert judge("fastwarc", "check", "--quiet", path).returncode == 0
    made = judge("cdxj-indexer", "--sort", *cleaned.files.warcs)
    assert made.returncode == 0, made.stderr
    assert len(made.stdout.splitlines()) == len(cleaned.files.cdxj_lines)


def test_pywb_shows_the_page_itself_also_by_an_index_of_its_own(tmp_path: Path) -> None:
    web, files = crawl(tmp_path / "crawl", few_pages, with_forms=("html",))
    assert judge("wb-manager", "init", "x", cwd=tmp_path).returncode == 0
    assert judge("wb-manager", "add", "x", *files.warcs, cwd=tmp_path).returncode == 0
    with running_pywb(tmp_path) as pywb:
        shown = pywb.replay("x", "2", web.url(HOME, "/text"))
    assert (shown.status, b"<script>" in shown.body) == (200, True)


def test_repair_finds_the_same_pages_and_keeps_what_was_cleaned(tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    crawl(folder, few_pages, with_forms=("text",))

    def all_kept() -> dict[str, Conversion | None]:
        with CrawlReader(folder) as reader:
            return {row.url: kept(reader, row) for row in reader.rows()}

    before = all_kept()
    repair(folder)
    assert all_kept() == before
    assert sum(form is not None for form in before.values()) == 2


def test_kills_lose_and_double_no_conversion(tmp_path: Path) -> None:
    with SimProcess(small_web(6)) as sim:
        prepare_folder(tmp_path / "crawl", quick_config(sim, with_forms=("html",), workers=2))
        assert run_with_kills(tmp_path / "crawl", kill_group, 4, random.Random(6)) > 2  # or it was over before
        truth = sim.web.truth()
    files = CrawlFiles(tmp_path / "crawl")
    assert_fetched_the_truth(files, truth)
    assert_each_is_cleaned_once(files, truth)


def assert_each_is_cleaned_once(files: CrawlFiles, truth: Truth) -> None:
    cleaned = Counter(url for url, _, _ in conversions_in(files))
    assert cleaned == Counter(html_urls(files.folder))
    assert cleaned.keys() <= {url for url, status in truth.status.items() if 200 <= status < 300}
    assert len(cleaned) > len(truth.fetchable) / 2


def test_the_settings_name_the_forms_and_presets_that_there_are() -> None:
    assert set(get_args(PageForm)) == set(Form)
    assert set(get_args(CleanPreset)) == set(PRESETS)
