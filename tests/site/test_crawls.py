"""The findings of real crawls with `--links`: what the rows are made from is pages that a server sent."""

from __future__ import annotations

from pathlib import Path

import msgspec

import weft
from tests.pipeline.crawling import crawl_all, quick_config
from tests.pipeline.small_web import SmallWeb, redirect, text
from weft.api.external import FOLDER, ExternalCheck
from weft.folder.layout import load_config
from weft.pipeline.engine import Ending
from weft.simweb import SimProcess, SimWeb, WebSpec
from weft.simweb.behaviour import Behaviour, Fixed
from weft.site.findings import Finding, FindingKind, SiteReport

SITE, OTHER, BLOCKED = "site.test", "other.test", "blocked.test"
K = FindingKind


def html(name: str, *hrefs: str, head: str = "", body: str = "") -> Fixed:
    """A page as an owner wants it, with these links; each has its own words as anchor."""
    links = "".join(f'<p><a href="{href}">go to {href}</a>' for href in hrefs)
    return Fixed(
        f"<!DOCTYPE html><html lang=en><title>Page {name}</title><meta name=description content='About {name}'>{head}"
        f"<h1>Heading {name}</h1>{'many words of text ' * 20}{links}{body}".encode()
    )


def planted() -> dict[tuple[str, str], Behaviour]:
    """A site with a fault of most kinds that a crawl over http can meet."""
    pages: dict[str, Behaviour] = {
        "/": html("home", "/a", "/b", "/old", "/app", "/hidden", "/private/x", "/de"),
        "/a": html("a", "/", "/gone", "/b"),
        "/b": html("b", "/", "/gone", "/1", body="<img src=x.png><img src=y.png alt=''>"),
        "/gone": Fixed(b"<!DOCTYPE html><title>no</title>", status=404),
        "/old": redirect("/new", 301),
        "/new": html("new", "/", head="<link rel=canonical href=/gone>"),
        "/1": redirect("/2"),
        "/2": redirect("/a"),
        "/app": Fixed(
            b"<!DOCTYPE html><title>App</title><meta name=description content=x><div id=app></div><h1>App</h1>"
            b"<script src=app.js></script>"
        ),
        "/hidden": html("hidden", "/", head="<meta name=robots content=noindex>"),
        "/private/x": html("private"),
        "/de": html(
            "de", "/", head="<link rel=alternate hreflang=de href=/de><link rel=alternate hreflang=en href=/a>"
        ),
        "/orphan": html("orphan", "/"),
        "/robots.txt": text("User-agent: *\nDisallow: /private/\n"),
        "/sitemap.xml": Fixed(
            b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>"
            + b"".join(
                f"<url><loc>/{name}</loc></url>".encode() for name in ("", "a", "b", "new", "app", "de", "orphan")
            )
            + b"</urlset>",
            content_type="application/xml",
        ),
    }
    return {(SITE, path): page for path, page in pages.items()}


def found(report: SiteReport, base: str) -> dict[str, set[str]]:
    return {
        section.kind: {finding.url.removeprefix(base) for finding in section.findings} for section in report.sections
    }


def finding(report: SiteReport, kind: FindingKind) -> Finding:
    (one,) = [one for section in report.sections for one in section.findings if one.kind is kind]
    return one


def test_planted_faults_are_found_exactly_with_all_referrers(tmp_path: Path) -> None:
    with SimProcess(WebSpec(hosts=1, pages=1), planted()) as sim:
        base = sim.web.url(SITE, "/").rstrip("/")
        config = quick_config(sim, seeds=(sim.web.url(SITE, "/"),), scope="host", links=True, sitemaps=True)
        ending, _ = crawl_all(tmp_path / "crawl", config)
    assert ending is Ending.DONE
    report = weft.site_report(tmp_path / "crawl")
    assert found(report, base) == {
        K.BROKEN_LINK: {"/gone"},
        K.REDIRECT_CHAIN: {"/1"},
        K.REDIRECT_LINK: {"/old", "/1"},
        K.ROBOTS_LINKED: {"/private/x"},
        K.NOINDEX_LINKED: {"/hidden"},
        K.CANONICAL_BROKEN: {"/new"},
        K.HREFLANG_RETURN: {"/de"},
        K.ALT_MISSING: {"/b"},
        K.SCRIPT_PAGE: {"/app"},
        K.ORPHAN_PAGE: {"/orphan"},
    }
    broken = finding(report, K.BROKEN_LINK)
    assert broken.status == 404
    assert {(one.url.removeprefix(base), one.anchor, one.place) for one in broken.referrers} == {
        ("/a", "go to /gone", "link"),
        ("/b", "go to /gone", "link"),
        ("/new", "", "relation"),
    }
    assert finding(report, K.REDIRECT_CHAIN).detail == f"2 steps: → {base}/2 → {base}/a"
    assert finding(report, K.ALT_MISSING).detail == "1 of 2 images"
    (referrer,) = finding(report, K.ROBOTS_LINKED).referrers
    assert (referrer.url, referrer.anchor, referrer.place) == (f"{base}/", "go to /private/x", "link")


def test_a_crawl_that_kept_no_links_has_the_same_findings(tmp_path: Path) -> None:
    with SimProcess(WebSpec(hosts=1, pages=1), planted()) as sim:
        config = quick_config(sim, seeds=(sim.web.url(SITE, "/"),), scope="host", sitemaps=True)
        crawl_all(tmp_path / "with", msgspec.structs.replace(config, links=True))
        crawl_all(tmp_path / "without", config)
    stages: set[str] = set()
    kept, read_again = (
        weft.site_report(tmp_path / name, progress=lambda stage, rows: stages.add(stage))
        for name in ("with", "without")
    )
    assert read_again.sections == kept.sections
    assert read_again.links == kept.links
    assert any(stage.startswith("Reading pages again") for stage in stages)


def test_links_to_other_sites_are_asked_for_once_and_those_that_fail_are_found(tmp_path: Path) -> None:
    def sites(web: SimWeb) -> dict[tuple[str, str], Behaviour]:
        there, moved, nothing, forbidden = (web.url(OTHER, path) for path in ("/", "/moved", "/nothing", "/no/x"))
        return {
            (SITE, "/"): html("home", "/a", there, moved, nothing, forbidden, web.url("nowhere.test", "/")),
            (SITE, "/a"): html("a", "/", nothing),
            (OTHER, "/"): html("other", "/further"),
            (OTHER, "/moved"): redirect("/lost"),
            (OTHER, "/lost"): Fixed(b"", status=410),
            (OTHER, "/nothing"): Fixed(b"", status=404),
            (OTHER, "/robots.txt"): text("User-agent: *\nDisallow: /no/\n"),
        }

    web = SmallWeb((SITE, OTHER), sites)
    crawl = tmp_path / "crawl"

    def check() -> SiteReport:
        return weft.site_report(crawl, check_external=True)

    report = web.crawl_then(crawl, SITE, check, links=True, scope="host", host_delays=((OTHER, 0.01),))
    base = web.url(OTHER).rstrip("/")
    (section,) = [one for one in report.sections if one.kind is K.BROKEN_EXTERNAL]
    said = {one.url.removeprefix(base): (one.status, one.detail) for one in section.findings}
    assert said == {
        "/moved": (410, "410"),
        "/nothing": (404, "404"),
        web.url("nowhere.test"): (0, "dns-not-found"),
    }
    (nothing,) = [one for one in section.findings if one.url.endswith("/nothing")]
    assert {(one.url, one.anchor) for one in nothing.referrers} == {
        (web.url(SITE, path), f"go to {base}/nothing") for path in ("/", "/a")
    }
    asked = sorted(request.path for request in web.log if request.host == OTHER)
    assert asked == ["/", "/lost", "/moved", "/nothing", "/robots.txt"], "no link is followed, robots.txt is obeyed"
    assert (crawl / FOLDER).is_dir()


def test_other_sites_are_asked_by_the_manners_of_today_and_not_where_a_person_blocked_them(tmp_path: Path) -> None:
    web = SmallWeb((SITE, OTHER, BLOCKED, "private.test"), lambda web: {(SITE, "/"): html("home")})
    crawl = tmp_path / "crawl"

    def check() -> None:
        first = msgspec.structs.replace(load_config(crawl), user_agent="first/1 (+http://site.test/)")
        ExternalCheck(crawl, first)([web.url(OTHER)])
        later = {"user_agent": "later/1 (+http://site.test/)", "allow_private": False, "blocked_hosts": (BLOCKED,)}
        ExternalCheck(crawl, msgspec.structs.replace(first, **later))([web.url(BLOCKED), web.url("private.test")])

    web.crawl_then(crawl, SITE, check, scope="host", host_delays=((OTHER, 0.01),))
    assert {request.host for request in web.log} == {SITE, OTHER}
    kept = load_config(crawl / FOLDER)
    assert kept.user_agent == "later/1 (+http://site.test/)"
    assert kept.host_delays == ((OTHER, 0.01),)
    assert kept.seeds == (web.url(OTHER), web.url(BLOCKED), web.url("private.test"))


def test_a_report_says_what_the_crawl_has_not_visited_yet(tmp_path: Path) -> None:
    with SimProcess(WebSpec(hosts=1, pages=1), planted()) as sim:
        config = quick_config(sim, seeds=(sim.web.url(SITE, "/"),), scope="host", links=True, max_pages=1)
        crawl_all(tmp_path / "crawl", config)
    assert weft.site_report(tmp_path / "crawl").verdict.endswith("; 6 URLs still queued.")


def test_a_guess_that_is_not_there_is_not_broken_and_a_script_that_is_not_there_is(tmp_path: Path) -> None:
    pages: dict[tuple[str, str], Behaviour] = {
        (SITE, "/"): html("home", body="<script src=/app.js></script><script>x = 'guess.png'</script>"),
        (SITE, "/app.js"): Fixed(b'import "/lost.js"; x = "img/guess.png"', content_type="text/javascript"),
        (SITE, "/guess.png"): Fixed(b"", status=404),
        (SITE, "/img/guess.png"): Fixed(b"", status=404),
        (SITE, "/lost.js"): Fixed(b"", status=404),
    }
    with SimProcess(WebSpec(hosts=1, pages=1), pages) as sim:
        base = sim.web.url(SITE, "/").rstrip("/")
        config = quick_config(sim, seeds=(f"{base}/",), scope="host", links=True, requisites=True)
        crawl_all(tmp_path / "crawl", config)
    visited = (tmp_path / "crawl" / "pages.jsonl").read_text()
    assert all(f'"{base}{path}"' in visited for path in ("/guess.png", "/img/guess.png", "/lost.js"))
    assert found(weft.site_report(tmp_path / "crawl"), base) == {K.BROKEN_LINK: {"/lost.js"}}
