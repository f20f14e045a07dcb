"""A site with planted faults of every kind: each is found with all who refer to it, and nothing else is."""

from __future__ import annotations

import pytest

import weft
from tests.pipeline.small_web import SmallWeb
from tests.site.expected import planted_on
from tests.site.planted import HOSTS, SECURE, SEEDS, SITE, SLOW_S, PlantedSite
from weft.simweb import SimWeb
from weft.simweb.behaviour import Behaviour
from weft.site.findings import Finding, FindingKind, SiteReport


class Judged:
    """What weft found on the site, beside what was planted there."""

    def __init__(self, site: PlantedSite, report: SiteReport) -> None:
        self.site = site
        self.report = report
        self.found = {section.kind: section.findings for section in report.sections}

    def finding(self, kind: FindingKind, url: str) -> Finding:
        """The only one of a kind and a URL."""
        (one,) = [one for one in self.found.get(kind, ()) if one.url == url]
        return one


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Judged:
    planted: list[PlantedSite] = []

    def sites(web: SimWeb) -> dict[tuple[str, str], Behaviour]:
        planted.append(PlantedSite(web))
        return planted[0].behaviours()

    folder = tmp_path_factory.mktemp("planted") / "crawl"
    web = SmallWeb(HOSTS, sites, https=True)
    report = web.crawl_then(
        folder,
        lambda: (*(web.url(SITE, path) for path in SEEDS), web.url(SECURE, "/", "https")),
        lambda: weft.site_report(folder, check_external=True),
        links=True,
        scope="host",
        sitemaps=True,
        requisites=True,
        response_timeout_s=10 * SLOW_S,
    )
    return Judged(planted[0], report)


@pytest.mark.parametrize("kind", FindingKind)
def test_what_was_planted_is_found_and_nothing_else(judged: Judged, kind: FindingKind) -> None:
    planted = {judged.site.url(fault.url) for fault in planted_on(judged.site) if fault.kind is kind}
    found = [finding.url for finding in judged.found.get(kind, ())]
    assert planted, "a new kind of finding wants a fault on the planted site"
    assert len(found) == len(set(found))
    if kind is FindingKind.SLOW_PAGE:  # on a busy machine any page may be
        assert planted <= set(found)
    else:
        assert set(found) == planted


@pytest.mark.parametrize("kind", FindingKind)
def test_each_finding_has_all_pages_that_refer_to_it(judged: Judged, kind: FindingKind) -> None:
    for fault in planted_on(judged.site):
        if fault.kind is kind:
            url = judged.site.url(fault.url)
            finding = judged.finding(kind, url)
            told = {(one.url, one.anchor, one.place, one.rel) for one in finding.referrers}
            assert told == judged.site.referrers(url), url
            assert finding.referrer_count == len(finding.referrers) == len(told), url


@pytest.mark.parametrize("kind", FindingKind)
def test_each_finding_says_what_is_wrong(judged: Judged, kind: FindingKind) -> None:
    for fault in planted_on(judged.site):
        if fault.kind is kind:
            finding = judged.finding(kind, judged.site.url(fault.url))
            assert finding.status == fault.status, fault.url
            if fault.other:
                assert finding.other == fault.other, fault.url
            if fault.detail is not None:
                assert finding.detail == fault.detail, fault.url
