"""Each kind of finding planted on a small site: found exactly, none too many, with all that refer to it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import weft
from tests.site.made import HOME, SITEMAP, Page, full, make_site, missing, page, redirect, sitemap
from weft.page.link_marks import NOFOLLOW, Place
from weft.site.findings import Finding, FindingKind, SiteReport
from weft.site.judging import DEEP_CLICKS
from weft.types import Outcome

K = FindingKind


def report_of(path: Path, site: dict[str, Page], **told: Any) -> SiteReport:
    return weft.site_report(make_site(path / "crawl", site, **told))


def found(report: SiteReport) -> dict[str, set[str]]:
    """What was found: paths by kind; a path that is not of the site is a URL."""
    return {
        section.kind: {finding.url.removeprefix(HOME.rstrip("/")) for finding in section.findings}
        for section in report.sections
    }


def finding(report: SiteReport, kind: FindingKind, name: str) -> Finding:
    (one,) = [
        one for section in report.sections for one in section.findings if (one.kind, one.url) == (kind, full(name))
    ]
    return one


def referrers(one: Finding) -> set[str]:
    assert one.referrer_count == len(one.referrers)
    return {referrer.url.removeprefix(HOME.rstrip("/")) for referrer in one.referrers}


def test_a_sound_site_has_no_findings(tmp_path: Path) -> None:
    report = report_of(tmp_path, {"/": page("/a", "/b"), "/a": page("/", "/b"), "/b": page("/", "/a")})
    assert found(report) == {}
    assert (report.urls, report.pages, report.links, report.total) == (3, 3, 6, 0)
    assert report.verdict == "3 pages and 6 links looked at; nothing to fix was found."
    assert [(row.name, row.count) for row in report.clicks] == [("0", 1), ("1", 2)]


@pytest.mark.parametrize(
    ("plant", "status", "words"),
    [
        (missing(404), 404, ""),
        (missing(410), 410, ""),
        (missing(503), 503, ""),
        (Page(outcome=Outcome.RESPONSE_TIMEOUT), 0, "response-timeout"),
        (Page(outcome=Outcome.DNS_NOT_FOUND), 0, "dns-not-found"),
    ],
    ids=str,
)
def test_a_broken_link_is_found_with_all_pages_that_have_it(
    tmp_path: Path, plant: Page, status: int, words: str
) -> None:
    pages = {f"/{number}": page("/", "/gone") for number in range(9)}
    site = {"/": page(*pages), **pages, "/gone": plant}
    report = report_of(tmp_path, site)
    assert found(report) == {K.BROKEN_LINK: {"/gone"}}
    one = finding(report, K.BROKEN_LINK, "/gone")
    assert (one.status, one.detail) == (status, words)
    assert referrers(one) == pages.keys()
    assert {referrer.anchor for referrer in one.referrers} == {f"to {full('/gone')}"}
    assert {referrer.place for referrer in one.referrers} == {"link"}


def test_a_referrer_says_where_its_link_stands_and_what_its_rel_is(tmp_path: Path) -> None:
    marks = {full("/gone"): Place.FRAME | NOFOLLOW}
    site = {"/": page("/gone", marks=marks, anchors={full("/gone"): "Read on"}), "/gone": missing()}
    (referrer,) = finding(report_of(tmp_path, site), K.BROKEN_LINK, "/gone").referrers
    assert (referrer.url, referrer.anchor, referrer.place, referrer.rel) == (HOME, "Read on", "frame", "nofollow")


def test_a_broken_seed_is_found_though_nothing_refers_to_it_and_a_guessed_sitemap_is_not(tmp_path: Path) -> None:
    site = {"/": missing(), SITEMAP: Page(status=404, kind=sitemap().kind)}
    assert found(report_of(tmp_path, site)) == {K.BROKEN_LINK: {"/"}}


def test_what_weft_itself_could_not_read_is_no_broken_link(tmp_path: Path) -> None:
    assert found(report_of(tmp_path, {"/": page("/a"), "/a": Page(outcome=Outcome.POISON)})) == {}


def test_a_link_to_a_redirect_is_found_with_where_it_leads(tmp_path: Path) -> None:
    site = {"/": page("/old", "/new"), "/old": redirect("/new"), "/new": page("/old")}
    report = report_of(tmp_path, site)
    assert found(report) == {K.REDIRECT_LINK: {"/old"}}
    one = finding(report, K.REDIRECT_LINK, "/old")
    assert (one.status, one.other, one.detail) == (301, full("/new"), "ends with 200")
    assert referrers(one) == {"/", "/new"}


def test_a_redirect_that_no_page_links_to_is_none_of_the_owners_business(tmp_path: Path) -> None:
    site = {"/old": redirect("/"), "/": page()}
    assert found(report_of(tmp_path, site, seeds=["/old"])) == {}


def test_redirects_in_a_row_are_found_at_the_link_that_leads_into_them(tmp_path: Path) -> None:
    site = {"/": page("/1"), "/1": redirect("/2"), "/2": redirect("/3", 302), "/3": redirect("/end"), "/end": page("/")}
    report = report_of(tmp_path, site)
    assert found(report) == {K.REDIRECT_CHAIN: {"/1"}, K.REDIRECT_LINK: {"/1"}}
    one = finding(report, K.REDIRECT_CHAIN, "/1")
    assert one.other == full("/end")
    assert one.detail == f"3 steps: → {full('/2')} → {full('/3')} → {full('/end')}"
    assert referrers(one) == {"/"}


def test_redirects_in_a_row_are_found_at_a_seed(tmp_path: Path) -> None:
    site = {"/1": redirect("/2"), "/2": redirect("/"), "/": page()}
    assert found(report_of(tmp_path, site, seeds=["/1"])) == {K.REDIRECT_CHAIN: {"/1"}}


def test_redirects_without_end_are_found_once(tmp_path: Path) -> None:
    site = {
        "/": page("/1"),
        "/1": redirect("/2"),
        "/2": redirect("/3"),
        "/3": redirect("/2"),
        "/self": redirect("/self"),
    }
    report = report_of(tmp_path, {**site, "/x": page("/self")}, seeds=["/", "/x"])
    assert found(report) == {K.REDIRECT_LOOP: {"/1", "/self"}}


def test_a_seed_that_redirects_without_end_is_found(tmp_path: Path) -> None:
    assert found(report_of(tmp_path, {"/": redirect("/b"), "/b": redirect("/")})) == {K.REDIRECT_LOOP: {"/"}}


def test_a_redirect_that_leaves_the_site_is_no_chain(tmp_path: Path) -> None:
    away = page(status=302, place=Place.REDIRECT, title="", mime="", outside=["https://other.test/"])
    report = report_of(tmp_path, {"/": page("/away"), "/away": away})
    assert found(report) == {K.REDIRECT_LINK: {"/away"}}
    one = finding(report, K.REDIRECT_LINK, "/away")
    assert (one.other, one.detail) == ("https://other.test/", "ends with not visited")


def test_slow_and_large_answers_are_found_the_worst_first(tmp_path: Path) -> None:
    site = {
        "/": page("/a", "/b", "/big", "/file", "/small.zip"),
        "/a": page(wait_s=1.2),
        "/b": page(wait_s=9.0),
        "/big": page(bytes=3_000_000),
        "/file": page(bytes=30_000_000, mime="application/zip", title=""),
        "/small.zip": page(bytes=3_000_000, mime="application/zip", title=""),
    }
    report = report_of(tmp_path, site)
    assert found(report) == {K.SLOW_PAGE: {"/a", "/b"}, K.LARGE_PAGE: {"/big"}, K.LARGE_FILE: {"/file"}}
    (slow,) = [section for section in report.sections if section.kind is K.SLOW_PAGE]
    assert [one.url for one in slow.findings] == [full("/b"), full("/a")]
    assert slow.findings[0].detail == "9.00 s to the first byte"
    assert referrers(slow.findings[0]) == {"/"}


def test_texts_that_are_missing_or_the_same_are_found(tmp_path: Path) -> None:
    names = ["/1", "/2", "/3", "/4", "/5", "/6"]
    site = {
        "/": page(*names),
        "/1": page(title="", facts={"description": "", "h1": "", "h1s": 0}),
        "/2": page(title="Same", facts={"description": "Twice"}),
        "/3": page(title="Same", facts={"h1": "Welcome"}),
        "/4": page(title="Same", facts={"h1": "Welcome"}),
        "/5": page(facts={"description": "Twice", "h1s": 3}),
        "/6": page(title="Other"),
    }
    report = report_of(tmp_path, site)
    assert found(report) == {
        K.TITLE_MISSING: {"/1"},
        K.TITLE_DUPLICATE: {"/2", "/3", "/4"},
        K.DESCRIPTION_MISSING: {"/1"},
        K.DESCRIPTION_DUPLICATE: {"/2", "/5"},
        K.H1_MISSING: {"/1"},
        K.H1_DUPLICATE: {"/3", "/4"},
        K.H1_SEVERAL: {"/5"},
    }
    assert finding(report, K.TITLE_DUPLICATE, "/2").detail == "3 pages: Same"
    one = finding(report, K.DESCRIPTION_DUPLICATE, "/2")
    assert (one.detail, one.other) == ("2 pages: Twice", full("/5"))
    assert finding(report, K.H1_DUPLICATE, "/3").detail == "2 pages: Welcome"


@pytest.mark.parametrize(
    "double",
    [
        page(title="", noindex=True, facts={"description": "", "h1": ""}),
        page(title="", facts={"canonical": HOME, "description": "", "h1": ""}),
        page(title="", mime="application/pdf"),
        missing(404),
        redirect("/"),
    ],
    ids=["noindex", "canonical elsewhere", "no html", "404", "redirect"],
)
def test_texts_count_only_on_pages_that_search_engines_show(tmp_path: Path, double: Page) -> None:
    home = page(title=double.title or "Home")
    kinds = {kind.split("-")[0] for kind in found(report_of(tmp_path, {"/": home, "/x": double}))}
    assert not kinds & {"title", "description", "h1"}


def test_a_page_that_calls_itself_canonical_counts(tmp_path: Path) -> None:
    site = {"/": page("/a"), "/a": page(title="", facts={"canonical": full("/a")})}
    assert found(report_of(tmp_path, site)) == {K.TITLE_MISSING: {"/a"}}


def test_canonical_urls_that_contradict_are_found(tmp_path: Path) -> None:
    targets = {
        "/to-broken": "/gone", "/to-redirect": "/old", "/to-noindex": "/hidden", "/to-chain": "/to-good",
        "/to-good": "/good", "/away": "https://other.test/", "/unknown": "/never-visited",
    }  # fmt: skip
    site = {
        "/": page(*targets),
        **{name: page(facts={"canonical": full(target)}) for name, target in targets.items()},
        "/gone": missing(),
        "/old": redirect("/good"),
        "/hidden": page(noindex=True),
        "/good": page(facts={"canonical": full("/good")}),
    }
    report = report_of(tmp_path, site)
    assert found(report) == {
        K.CANONICAL_BROKEN: {"/to-broken"},
        K.CANONICAL_REDIRECT: {"/to-redirect"},
        K.CANONICAL_NOINDEX: {"/to-noindex"},
        K.CANONICAL_CHAIN: {"/to-chain"},
        K.CANONICAL_OUTSIDE: {"/away"},
    }
    one = finding(report, K.CANONICAL_BROKEN, "/to-broken")
    assert (one.detail, one.other) == ("404", full("/gone"))
    assert referrers(one) == {"/"}


def test_versions_in_other_languages_that_contradict_are_found(tmp_path: Path) -> None:
    def says(**codes: str) -> Page:
        return page(facts={"hreflangs": [(code.replace("_", "-"), full(name)) for code, name in codes.items()]})

    site = {
        "/": page("/en", "/de", "/fr", "/uk", "/lost"),
        "/en": says(en="/en", de="/de", fr="/fr", x_default="/en"),
        "/de": says(de="/de", en="/en"),
        "/fr": says(fr="/fr"),  # does not name /en
        "/uk": says(en_UK="/uk", en_GB="/uk"),
        "/lost": says(en="/en", es="/gone"),  # not itself; /en does not name it
        "/gone": missing(),
    }
    report = report_of(tmp_path, site)
    assert found(report) == {
        K.HREFLANG_CODE: {"/uk"},
        K.HREFLANG_BROKEN: {"/lost"},
        K.HREFLANG_RETURN: {"/en", "/lost"},
        K.HREFLANG_SELF: {"/lost"},
    }
    assert finding(report, K.HREFLANG_CODE, "/uk").detail == "en-UK"
    assert finding(report, K.HREFLANG_RETURN, "/en").other == full("/fr")
    assert finding(report, K.HREFLANG_BROKEN, "/lost").other == full("/gone")


def test_what_is_linked_though_hidden_is_found(tmp_path: Path) -> None:
    site = {
        "/": page("/noindex", "/forbidden"),
        "/noindex": page(noindex=True),
        "/unlinked": page(noindex=True),
    }
    report = report_of(tmp_path, site, forbidden=["/forbidden", "/forbidden-and-not-linked"])
    assert found(report) == {K.NOINDEX_LINKED: {"/noindex"}, K.ROBOTS_LINKED: {"/forbidden"}}
    assert referrers(finding(report, K.ROBOTS_LINKED, "/forbidden")) == {"/"}


def test_a_link_in_the_head_does_not_make_a_hidden_page_linked(tmp_path: Path) -> None:
    site = {"/": page("/noindex", place=Place.RELATION), "/noindex": page(noindex=True)}
    assert found(report_of(tmp_path, site)) == {}


def test_insecure_content_images_without_alt_and_pages_of_scripts_are_found(tmp_path: Path) -> None:
    site = {
        "/": page("/mixed", "/alt", "/app", "/busy", "/short"),
        "/mixed": page(facts={"insecure": ["http://x.test/a.js", "http://x.test/b.png"]}),
        "/alt": page(facts={"images": 5, "images_without_alt": 2}),
        "/app": page(facts={"words": 3, "scripts": 1}),
        "/busy": page(facts={"words": 40, "scripts": 9}),
        "/short": page(facts={"words": 40, "scripts": 1}),
    }
    report = report_of(tmp_path, site)
    assert found(report) == {K.MIXED_CONTENT: {"/mixed"}, K.ALT_MISSING: {"/alt"}, K.SCRIPT_PAGE: {"/app", "/busy"}}
    one = finding(report, K.MIXED_CONTENT, "/mixed")
    assert (one.detail, one.other) == ("2 things loaded over http", "http://x.test/a.js")
    assert finding(report, K.ALT_MISSING, "/alt").detail == "2 of 5 images"
    assert finding(report, K.SCRIPT_PAGE, "/app").detail == "3 words, 1 script"


def test_pages_many_clicks_away_are_found_whatever_way_the_crawl_took(tmp_path: Path) -> None:
    steps = [f"/{number}" for number in range(1, DEEP_CLICKS + 3)]
    site = {"/": page(steps[0])}
    for name, following in zip(steps, [*steps[1:], "/"], strict=True):
        site[name] = page(following)
    report = report_of(tmp_path, site)
    assert found(report) == {K.DEEP_PAGE: {f"/{DEEP_CLICKS + 1}", f"/{DEEP_CLICKS + 2}"}}
    assert finding(report, K.DEEP_PAGE, f"/{DEEP_CLICKS + 2}").detail == f"{DEEP_CLICKS + 2} clicks from a seed"


def test_a_redirect_costs_no_click_and_a_link_in_the_head_is_none(tmp_path: Path) -> None:
    steps = [f"/{number}" for number in range(1, DEEP_CLICKS + 1)]
    site = {"/": page(steps[0], "/5", marks={full("/5"): Place.RELATION}), "/r": redirect(f"/{DEEP_CLICKS + 1}")}
    for name, following in zip(steps, [*steps[1:], "/r"], strict=True):
        site[name] = page(following)
    site[f"/{DEEP_CLICKS + 1}"] = page("/")
    assert found(report_of(tmp_path, site)) == {
        K.DEEP_PAGE: {f"/{DEEP_CLICKS + 1}"},
        K.REDIRECT_LINK: {"/r"},
    }


@pytest.mark.parametrize("status", [200, 404])
def test_a_page_where_a_sitemap_was_looked_for_is_no_sitemap(tmp_path: Path, status: int) -> None:
    instead = page("/", status=status, kind=sitemap().kind)
    assert found(report_of(tmp_path, {"/": page("/a"), "/a": page("/"), SITEMAP: instead})) == {}


def test_the_sitemap_is_compared_with_the_links(tmp_path: Path) -> None:
    site = {
        "/": page("/both", "/hidden"),
        "/both": page("/"),
        "/hidden": page("/"),
        "/orphan": page("/orphan", "/"),
        "/gone": missing(),
        SITEMAP: sitemap("/", "/both", "/orphan", "/gone"),
    }
    report = report_of(tmp_path, site)
    assert found(report) == {
        K.BROKEN_LINK: {"/gone"},
        K.ORPHAN_PAGE: {"/orphan"},
        K.SITEMAP_MISSING: {"/hidden"},
    }
    (referrer,) = finding(report, K.BROKEN_LINK, "/gone").referrers
    assert (referrer.url, referrer.place) == (SITEMAP, "sitemap")
    assert {row.name for row in report.clicks} == {"0", "1", "not linked"}


def test_counts_stay_whole_where_lists_are_bounded(tmp_path: Path) -> None:
    pages = {f"/{number}": page("/gone", title="") for number in range(9)}
    folder = make_site(tmp_path / "crawl", {"/": page(*pages), **pages, "/gone": missing()})
    report = weft.site_report(folder, most_findings=2, most_referrers=3)
    sections = {section.kind: section for section in report.sections}
    assert [(section.count, len(section.findings)) for section in report.sections] == [(1, 1), (9, 2)]
    assert sections[K.BROKEN_LINK].findings[0].referrer_count == 9
    assert len(sections[K.BROKEN_LINK].findings[0].referrers) == 3
    assert report.total == 10


def test_an_earlier_crawl_tells_what_is_new_and_what_was_fixed(tmp_path: Path) -> None:
    before = make_site(tmp_path / "before", {"/": page("/1", "/2"), "/1": missing(), "/2": missing()})
    after = make_site(tmp_path / "after", {"/": page("/2", "/3"), "/2": missing(), "/3": missing()})
    report = weft.site_report(after, since=before)
    (section,) = report.sections
    assert (section.count, section.new, section.fixed, section.fixed_urls) == (2, 1, 1, [full("/1")])
    assert {one.url: one.is_new for one in section.findings} == {full("/2"): False, full("/3"): True}
    assert report.since == str(before)


def test_a_kind_of_which_all_was_fixed_still_has_its_section(tmp_path: Path) -> None:
    before = make_site(tmp_path / "before", {"/": page("/1"), "/1": missing()})
    after = make_site(tmp_path / "after", {"/": page()})
    (section,) = weft.site_report(after, since=before).sections
    assert (section.kind, section.count, section.fixed) == (K.BROKEN_LINK, 0, 1)


def test_the_folders_of_a_clusters_nodes_are_one_site(tmp_path: Path) -> None:
    pages = {f"/{number}": page("/", "/gone", f"/{number + 1}") for number in range(20)}
    odd = {"/20": redirect("/3"), "/gone": missing(), SITEMAP: sitemap("/", "/7", "/alone"), "/alone": page("/")}
    site = {"/": page(*pages), **pages, **odd}
    halves = dict(list(site.items())[:11]), dict(list(site.items())[11:])
    nodes = [make_site(tmp_path / name, half, node=name) for name, half in zip("ab", halves, strict=True)]
    together, alone = weft.site_report(nodes), report_of(tmp_path, site)
    assert found(together) == found(alone)
    for section in alone.sections:
        for one in section.findings:
            assert referrers(finding(together, section.kind, one.url)) == referrers(one)
