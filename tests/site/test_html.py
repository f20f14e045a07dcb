"""The page to send to somebody, in a real browser that has no network: `tests/install-browser` brings the browser."""

from __future__ import annotations

import base64
import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.mirror.browser import Browser, BrowserError, browsing
from tests.site.report_page import ReportPage
from tests.site.reports import START, large, ordinary, referrers, report, section
from weft.site.findings import Finding, FindingKind, Referrer, SiteReport
from weft.site.html import write_html
from weft.stats.figures import Count

Opened = Callable[[SiteReport], ReportPage]

HOSTILE = (
    "</script><script>window.hacked = 1</script>",
    "<!--<script>window.hacked = 1</script>",
    "--></style><img src=x onerror='window.hacked = 1'>",
    "\"'><svg onload=window.hacked=1>",
    "javascript:window.hacked=1",
    " \tjavascript:window.hacked=1",
    "data:text/html,<script>window.hacked=1</script>",
    "https://user@shop.example/\u202egnp.exe",
    "https://shop.example/\u200b\u2066x\ue000",
    "https://shop.example/𝒳/a",
    "https://shop.example/𝒴/b",
    "\u2028';window.hacked=1;'`${window.hacked=1}`",
    "\x00\x1b]0;x\x07&lt;b&gt;&amp;",
    "__proto__",
    "مرحبا\u200f‮ abc",
)

# Of each element that has text of its own: what it is, its colour, and the colour behind it.
COLOURS = """(() => {
    const hasText = element => [...element.childNodes].some(node => node.nodeType === 3 && node.data.trim());
    const ground = element => getComputedStyle(element).backgroundColor;
    const behind = element => ground(element) === 'rgba(0, 0, 0, 0)' ? behind(element.parentElement) : ground(element);
    return [...document.querySelectorAll('main *, header *')]
        .filter(each => each.checkVisibility() && hasText(each) && !each.closest('option, [aria-disabled="true"]'))
        .map(each => [each.className || each.localName, getComputedStyle(each).color, behind(each)]);
})()"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with browsing(network=False) as browser:
        yield browser


@pytest.fixture
def opened(browser: Browser, tmp_path: Path) -> Iterator[Opened]:
    pages: list[ReportPage] = []

    def open_page(shown: SiteReport) -> ReportPage:
        pages.append(ReportPage(browser, shown, tmp_path / f"report-{len(pages)}.html"))
        return pages[-1]

    yield open_page
    for page in pages:
        assert page.complaints() == []
        assert page.asked_for() == [page.url]


def rows_of(page: ReportPage, kind: FindingKind, column: str = "url") -> list[str]:
    return page.texts(f"#{kind} tbody tr:not(.opened) td.{column}")


def test_the_top_says_what_was_crawled_when_and_how_it_stands(opened: Opened) -> None:
    page = opened(ordinary())
    assert page.value("document.title") == "Site report: shop.example"
    assert page.texts("h1") == ["shop.example"]
    assert page.texts("#when") == ["2026-01-31 12:00 to 12:41 UTC"]
    assert page.texts(".tile")[:3] == ["errors67", "warnings10", "notices320"]
    assert page.texts("#kinds tr")[0] == "errorBroken links61"
    assert [plot.partition(" ")[0] for plot in page.texts("#plots figcaption")] == ["Answers", "Clicks", "Time", "Size"]
    assert page.texts("#plots .plot")[1].startswith("01124231036554180522")
    assert page.texts("#plots .plot")[1].endswith("6 and more10not linked2")


def test_bars_are_as_long_as_what_they_count(opened: Opened) -> None:
    page = opened(ordinary())
    widths = page.value("[...document.querySelectorAll('#kinds rect')].map(each => each.getBoundingClientRect().width)")
    assert widths[0] / widths[4] == pytest.approx(61 / 320, rel=0.02)


def test_a_section_says_what_its_kind_means_and_how_it_is_fixed(opened: Opened) -> None:
    page = opened(ordinary())
    (meaning,) = page.texts("#redirect-chain .meaning")
    assert meaning.startswith("A redirect leads to another redirect")
    assert meaning.endswith("straight to where the last one ends.")


def test_opening_a_row_shows_all_referring_pages_with_their_anchor(opened: Opened) -> None:
    page = opened(ordinary())
    page.click("#broken-link td.toggle button")
    shown = page.texts("#broken-link .opened li")
    assert shown[0] == f"{START}guides/page-0 Read more 0 link"
    assert shown[3] == f"{START}guides/page-3 Read more 3 link nofollow"
    assert len(shown) == 101  # the next ones are asked for
    page.click("#broken-link .opened .next button")
    assert page.texts("#broken-link .opened li")[-2:] == [
        f"{START}guides/page-149 Read more 149 link",
        "1,054 more pages not in this file.",
    ]
    page.click("#broken-link td.toggle button")
    assert page.texts("#broken-link .opened") == []


def test_a_row_without_referrers_says_so(opened: Opened) -> None:
    page = opened(ordinary())
    page.click("#slow-page td.toggle button")
    assert page.texts("#slow-page .opened") == ["No page refers to it."]


def test_all_can_be_done_by_keyboard(opened: Opened) -> None:
    page = opened(ordinary())
    page.press("/")
    assert page.value("document.activeElement.id") == "search"
    focused = "document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent"
    seen: list[str] = []
    while "Pages that refer to https://shop.example/terms-2019.html" not in seen:
        assert len(seen) < 30, seen
        page.press("Tab")
        seen.append(page.value(focused))
    assert {"Kind", "URL", "Status", "Details", "Referrers"} <= set(seen)
    for key, is_open in (("Enter", "true"), (" ", "false"), ("Enter", "true")):
        page.press(key)
        assert page.value("document.activeElement.getAttribute('aria-expanded')") == is_open
    assert len(page.texts("#broken-link .opened li")) == 101
    page.press("Tab")
    assert page.value("document.activeElement.href") == f"{START}terms-2019.html"
    page.press("/")
    page.search("teapots", "4 findings of 2 kinds")
    page.press("Escape")
    page.until("document.querySelector('#found').textContent === '397 findings of 6 kinds'")


def test_tables_are_sorted_by_url_status_words_and_referrers_then_as_before(opened: Opened) -> None:
    page = opened(ordinary())
    before = rows_of(page, FindingKind.BROKEN_LINK)

    def sort(column: str) -> list[str]:
        page.click(f"#broken-link th.{column} button")
        return rows_of(page, FindingKind.BROKEN_LINK, column)

    assert sort("url") == sorted(f"{START}archive/2021/post-{at}.html" for at in range(57))[:10]
    assert page.value("document.querySelector('#broken-link th.url').ariaSort") == "ascending"
    assert sort("url")[0] == f"{START}terms-2019.html"
    assert sort("url") == before
    assert sort("status")[:2] == ["–", "404"]
    assert sort("status")[:3] == ["500", "410", "404"]
    assert sort("referrers")[:4] == ["1,204", "31", "12", "9"]
    assert sort("referrers")[0] == "1"
    page.click("#slow-page th.detail button")
    assert [words.split()[0] for words in rows_of(page, FindingKind.SLOW_PAGE, "detail")] == ["2.00", "9.75", "12.50"]


def test_large_tables_show_ten_rows_then_a_hundred_at_once(opened: Opened) -> None:
    page = opened(ordinary())
    bare = FindingKind.DESCRIPTION_MISSING
    assert rows_of(page, bare) == [f"{START}products/{at}" for at in range(10)]
    page.click(f"#{bare} button[aria-label='Next rows']")
    assert rows_of(page, bare)[0] == f"{START}products/10"
    page.value("tables[4].more.click()")
    assert len(rows_of(page, bare)) == 100
    page.click(f"#{bare} button[aria-label='Last rows']")
    assert rows_of(page, bare) == [f"{START}products/{at}" for at in range(300, 320)]
    assert page.texts(f"#{bare} .place") == ["301–320 of 320."]
    page.click(f"#{bare} button[aria-label='Next rows']")
    assert len(rows_of(page, bare)) == 20


def test_the_search_looks_at_everything(opened: Opened) -> None:
    shown = ordinary()
    umlaut = Finding(
        FindingKind.H1_MISSING, f"{START}umlauts", referrer_count=1, referrers=[Referrer(START, "Anchor-Ä", "link")]
    )
    street = Finding(FindingKind.H1_MISSING, f"{START}stra%C3%9Fe")
    shown.sections.append(section(FindingKind.H1_MISSING, [umlaut, street]))
    page = opened(shown)
    for words, found in (
        ("blue-teapot", "blue-teapot"),
        ("TIMEOUT", "status"),
        ("410", "products/blue-teapot"),
        ("newest/3", "old/3"),
        ("slow 9.75", "reports/9.75"),
        ("guides/page-100", "terms-2019.html"),  # a page that refers to it
        ("anchor-ä", "umlauts"),
        ("straße", "stra%C3%9Fe"),  # as URLs have it
    ):
        page.search("nowhere", "Nothing is found by this.")  # what is found next is found by its words
        page.search(words, "1 finding of 1 kind")
        (url,) = page.texts("tbody tr:not(.opened) td.url")
        assert url.endswith(found), words


def test_referring_pages_that_were_searched_for_come_first(opened: Opened) -> None:
    page = opened(ordinary())
    page.search("guides/page-149", "1 finding of 1 kind")
    assert page.value("document.querySelector('#broken-link td.referrers').className") == "referrers found"
    page.click("#broken-link td.toggle button")
    assert page.texts("#broken-link .opened li")[0] == f"{START}guides/page-149 Read more 149 link"
    page.until("CSS.highlights.get('found').size === 1")


def test_a_search_without_a_hit_says_so(opened: Opened) -> None:
    page = opened(ordinary())
    page.search("nowhere", "Nothing is found by this.")
    assert page.texts(".kind") == []
    page.click("#show-all")
    assert len(page.texts(".kind")) == 6


def test_findings_are_filtered_by_kind_and_severity(opened: Opened) -> None:
    page = opened(ordinary())
    page.click("#severity-notice")
    page.click("#severity-warning")
    assert page.texts("#found") == ["67 findings of 2 kinds"]
    page.value("byId('kind').value = 'mixed-content', byId('kind').dispatchEvent(new Event('change', {bubbles: true}))")
    assert page.value("[...document.querySelectorAll('.kind')].filter(e => !e.hidden).map(e => e.id)") == [
        "mixed-content"
    ]
    page.click("#kinds a[href='#slow-page']")  # a way there from the top ends the filter
    assert page.texts("#found") == ["397 findings of 6 kinds"]


def test_beside_an_earlier_crawl_new_and_fixed_are_shown(opened: Opened) -> None:
    page = opened(ordinary(since="crawls/last-week"))
    assert page.texts("#since") == ["Compared with crawls/last-week."]
    assert page.texts("#kinds tr")[0] == "errorBroken links61+1 new1 fixed"
    page.click("#broken-link summary")
    assert page.texts("#broken-link .fixed li") == [f"{START}gone"]
    page.click("#only-new")
    assert page.texts("tbody tr:not(.opened) td.url") == [f"{START}terms-2019.htmlnew"]


def test_a_section_tells_what_is_not_in_the_file(opened: Opened) -> None:
    few = [Finding(FindingKind.H1_MISSING, f"{START}{at}") for at in range(3)]
    page = opened(report([section(FindingKind.H1_MISSING, few, count=4_000)]))
    assert page.texts("#h1-missing .place") == ["The file has 3 of 4,000."]


def test_a_site_without_findings_has_a_page_too(opened: Opened) -> None:
    page = opened(report([]))
    assert page.texts("#found") == ["Nothing to fix was found."]


def test_hostile_titles_and_urls_inject_nothing(opened: Opened) -> None:
    kinds = list(FindingKind)
    sections = [
        section(
            kind,
            [
                Finding(
                    kind, text, 404, text, text, True, 3,
                    [Referrer(text, text, "link"), Referrer(START, text, text, text), *referrers(1)],
                )
            ],
            fixed=[text],
        )
        for kind, text in zip(kinds, HOSTILE, strict=False)
    ]  # fmt: skip
    shown = report(sections, since=HOSTILE[0], first_seed=HOSTILE[4])
    shown.statuses.extend(Count(text, 1, 0.0) for text in HOSTILE[:2])
    page = opened(shown)
    for each in range(len(HOSTILE)):
        page.value(f"tables[{each}].all.click()")
    page.value("document.querySelectorAll('details').forEach(each => { each.open = true })")
    page.search("<script>", "3 findings of 3 kinds")
    page.click("#show-all")
    assert page.value("window.hacked === undefined")
    assert page.value("document.querySelectorAll('img, iframe, object, embed, base, main script').length") == 0
    assert page.value("document.scripts.length") == 2
    attributes = page.value("[...document.querySelectorAll('*')].flatMap(each => each.getAttributeNames())")
    assert not [name for name in attributes if name == "style" or name.startswith("on")]
    links = page.value("[...document.querySelectorAll('main a')].map(a => [a.protocol, a.rel, a.getAttribute('href')])")
    assert {protocol for protocol, _, href in links if not href.startswith("#")} == {"https:"}
    assert {rel for _, rel, href in links if not href.startswith("#")} == {"noopener noreferrer"}
    # All of it is there, as text.
    assert page.texts("td.detail .words") == [text.strip() for text in HOSTILE]
    assert page.value("[...document.querySelectorAll('q')].map(each => each.textContent)")[::3] == list(HOSTILE)


def test_what_turns_or_hides_letters_is_seen_in_a_url(opened: Opened) -> None:
    url = "https://shop.example/\u202egnp.exe\u200b"
    page = opened(report([section(FindingKind.H1_MISSING, [Finding(FindingKind.H1_MISSING, url)])]))
    assert rows_of(page, FindingKind.H1_MISSING) == ["https://shop.example/%E2%80%AEgnp.exe%E2%80%8B"]


def test_the_browser_refuses_other_scripts_and_markup_made_from_strings(browser: Browser, tmp_path: Path) -> None:
    page = ReportPage(browser, ordinary(), tmp_path / "report.html")
    assert page.complaints() == []
    with pytest.raises(BrowserError, match="TrustedHTML"):
        page.value("document.body.innerHTML = '<img>'")
    page.value(
        "new Promise(done => { const image = new Image(); image.onerror = done; image.src = 'https://shop.example/a' })"
    )
    assert "img-src data:" in "".join(page.complaints())


def test_nothing_in_the_file_ends_the_data_or_the_script_early() -> None:
    out = io.BytesIO()
    hostile = [Finding(FindingKind.H1_MISSING, text, 0, text) for text in HOSTILE]
    write_html(report([section(FindingKind.H1_MISSING, hostile)]), out)
    html = out.getvalue().decode()
    data = html.partition('<script type="application/json" id="data">')[2].partition("</script>")[0]
    assert json.loads(data)["texts"]
    assert "<" not in data
    assert html.count("<script") == html.count("</script>") == 2
    assert "<!--" not in html


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_everything_is_readable_in_light_and_dark(opened: Opened, scheme: str) -> None:
    page = opened(ordinary(since="before"))
    page.emulate(scheme=scheme)
    page.click("#broken-link td.toggle button")
    assert page.value(f"matchMedia('(prefers-color-scheme: {scheme})').matches")
    ground = page.value("getComputedStyle(document.body).backgroundColor")
    assert (luminance(ground) < 0.1) == (scheme == "dark")
    pairs = page.value(COLOURS)
    assert len(pairs) > 100
    assert {(name, text, behind) for name, text, behind in pairs if contrast(text, behind) < 4.5} == set()


def test_on_paper_there_are_tables_and_no_controls(opened: Opened) -> None:
    page = opened(ordinary())
    page.emulate(media="print", scheme="dark")
    page.until("document.querySelectorAll('#broken-link tbody tr').length === 61")
    assert page.texts("button, input, select, .skip") == []
    assert len(rows_of(page, FindingKind.DESCRIPTION_MISSING)) == 100
    assert page.texts("#description-missing .place") == ["1–100 of 320."]
    assert luminance(page.value("getComputedStyle(document.body).backgroundColor")) == pytest.approx(1.0)
    page.emulate()
    page.until("document.querySelectorAll('#broken-link tbody tr').length === 10")
    pdf = base64.b64decode(page.pdf())
    assert pdf.startswith(b"%PDF")
    assert pdf.count(b"/Type /Page\n") >= 3
    page.until("document.querySelectorAll('#broken-link tbody tr').length === 10")


def test_a_phone_shows_all_of_it_without_scrolling_sideways(opened: Opened) -> None:
    page = opened(ordinary(since="before"))
    page.resize(360, 740, is_phone=True)
    for at in range(6):
        page.value(f"tables[{at}].all.click()")
    assert page.value("document.documentElement.scrollWidth") == 360
    right = "Math.max(...[...document.querySelectorAll('.kind *')].map(each => each.getBoundingClientRect().right))"
    assert page.value(right) <= 360
    smallest = "Math.min(...[...document.querySelectorAll('td.toggle button')].map(each => each.offsetHeight))"
    assert page.value(smallest) >= 32


@pytest.mark.parametrize(
    ("findings", "last"),
    [(20_000, "10,311–10,313 of 10,313."), pytest.param(100_000, "51,561–51,563 of 51,563.", marks=pytest.mark.large)],
)
def test_many_findings_stay_usable_and_make_a_file_that_can_be_sent(
    opened: Opened, tmp_path: Path, findings: int, last: str
) -> None:
    page = opened(large(findings))
    assert (tmp_path / "report-0.html").stat().st_size < 200 * findings
    assert page.texts("#found") == [f"{findings:,} findings of 32 kinds"]
    assert page.value("document.querySelectorAll('*').length") < 10_000
    page.search("article-017777.html", "1 finding of 1 kind")
    assert f"{START}catalogue/26/624/article-017777.html" in rows_of(page, FindingKind.BROKEN_LINK)[0]
    page.search("article", f"{findings:,} findings of 32 kinds")
    page.click("#broken-link th.referrers button")
    assert set(rows_of(page, FindingKind.BROKEN_LINK, "referrers")) == {"54"}
    page.click("#broken-link button[aria-label='Last rows']")
    assert page.texts("#broken-link .place") == [last]
    page.click("#broken-link td.toggle button")
    assert len(page.texts("#broken-link .opened li")) == 5


def luminance(colour: str) -> float:
    """Of rgb(r, g, b), as WCAG has it."""
    parts = [int(part) / 255 for part in colour.partition("(")[2].rstrip(")").split(",")[:3]]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """Of two colours: 1 to 21."""
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)
