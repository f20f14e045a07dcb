from __future__ import annotations

from collections import Counter

import pytest

from weft.simweb import SimWeb, WebSpec
from weft.simweb.traits import CHARSETS, CODINGS, Charset

from .reference import Response, ask_model, canonical, crawl_model, host_and_path

SHARES = (
    "status_5xx_share",
    "garbled_share",
    "meta_nofollow_share",
    "x_robots_nofollow_share",
    "noindex_share",
    "coded_share",
    "charset_share",
    "mistyped_share",
    "rel_nofollow_share",
    "loop_share",
)


def pages_of(web: SimWeb) -> dict[str, Response]:
    return {url: ask_model(web, url) for url, status in web.truth().status.items() if status == 200}


def a_web(**shares: float) -> SimWeb:
    return SimWeb(WebSpec(seed=6, hosts=20, pages=500, **shares), port=8080)  # type: ignore[arg-type]


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("max_depth", [3, 99])
def test_the_truth_knows_each_oddity_by_itself(share: str, max_depth: int) -> None:
    web = SimWeb(WebSpec(seed=6, hosts=10, pages=250, **{share: 0.3}), port=8080)  # type: ignore[arg-type]
    obeys = share == "rel_nofollow_share"
    crawled = crawl_model(web, max_depth, lowers_depth=True, obeys_rel_nofollow=obeys)
    assert crawled == web.truth(max_depth, obeys_rel_nofollow=obeys).fetchable


@pytest.mark.parametrize("share", ["meta_nofollow_share", "x_robots_nofollow_share"])
def test_what_only_a_nofollow_page_links_to_is_forbidden(share: str) -> None:
    web = a_web(**{share: 0.2}, robots_share=0, links_per_page=1)
    truth = web.truth()
    pages = pages_of(web)
    followed = {target for url, page in pages.items() for target in page.targets(url)[0]}
    nofollow = [url for url, page in pages.items() if "nofollow" in page.directives()]
    assert 0.1 < len(nofollow) / len(pages) < 0.3
    assert not truth.forbidden & followed
    # Each such page has a link of its own, by which one is found out who follows it.
    assert sum("/gone/not-followed-" in url for url in truth.forbidden) == len(nofollow)
    # Of 500 pages most are still there, and some can be had no more.
    assert 250 < len(pages) < 500


def test_directives_for_others_forbid_nothing() -> None:
    plain, harmless = a_web(), a_web(noindex_share=0.5)
    assert harmless.truth().fetchable == plain.truth().fetchable
    pages = pages_of(harmless)
    kinds = Counter(page.headers.get("x-robots-tag", "none") for page in pages.values())
    assert kinds.keys() == {"none", "noindex", "weft: noindex", "otherbot: nofollow", "max-snippet: 20"}
    assert harmless.truth().noindex == {url for url, page in pages.items() if "noindex" in page.directives()}
    assert harmless.truth().noindex


def test_rel_nofollow_is_obeyed_only_if_asked() -> None:
    web = a_web(rel_nofollow_share=0.4)
    followed, obeyed = web.truth(), web.truth(obeys_rel_nofollow=True)
    assert followed.fetchable == a_web().truth().fetchable
    assert obeyed.fetchable < followed.fetchable
    assert obeyed.forbidden - followed.forbidden
    assert obeyed.fetchable | obeyed.forbidden <= followed.fetchable | followed.forbidden


def test_loops_of_redirects_are_of_one_and_of_two() -> None:
    web = a_web(loop_share=0.3)
    loops = {url for url in web.truth().fetchable if "/loop/" in url}
    leads_to = {url: canonical(ask_model(web, url).headers["location"], url) for url in loops}
    alone = {url for url, target in leads_to.items() if url == target}
    assert alone
    assert loops - alone
    assert all(leads_to[leads_to[url]] == url for url in loops)


def test_coded_pages_are_the_same_pages() -> None:
    plain, coded = pages_of(a_web()), pages_of(a_web(coded_share=0.6))
    assert {url: page.body for url, page in plain.items()} == {url: page.body for url, page in coded.items()}
    assert {page.headers.get("content-encoding") for page in coded.values()} == {None, *CODINGS}


@pytest.mark.parametrize("charset", CHARSETS, ids=lambda charset: charset.label)
def test_words_have_no_byte_that_a_browser_would_leave_unescaped(charset: Charset) -> None:
    assert charset.escaped_word.count("%") * 3 == len(charset.escaped_word)
    assert charset.word.encode(charset.codec).decode(charset.codec) == charset.word


def test_pages_in_other_charsets_have_letters_and_queries_in_them() -> None:
    web = a_web(charset_share=0.5)
    pages = pages_of(web)
    for charset in CHARSETS:
        own = {url: page for url, page in pages.items() if page.codec == charset.codec}
        assert own, charset.label
        for url, page in own.items():
            assert f"{charset.word}</title>" in page.text
            assert host_and_path(url)[1] == "/" or url.endswith(f"?word={charset.escaped_word}")
        # Letters themselves in a query, not only their escapes.
        assert any(f"?word={charset.word}" in page.text for page in own.values()), charset.label
    declared = {page.headers["content-type"] for page in pages.values() if page.codec == "gbk"}
    assert declared == {"text/html", "text/html; charset=gbk"}


def test_mistyped_pages_are_missing_their_type_or_have_a_wrong_one() -> None:
    web = a_web(mistyped_share=0.5)
    types = Counter(page.headers.get("content-type", "none") for page in pages_of(web).values())
    assert types.keys() == {
        "none",
        "unknown/unknown",
        "text/html; charset=utf-8",
        "TEXT/HTML;Charset=UTF-8",
        "text/html; charset=no-such-charset",
        "text/plain",
        "application/octet-stream",
    }


def test_faults_keep_their_shares() -> None:
    shares = {"reset_share": 0.1, "stall_share": 0.1, "status_5xx_share": 0.2, "garbled_share": 0.1}
    web = SimWeb(WebSpec(seed=6, hosts=100, pages=4000, **shares))  # type: ignore[arg-type]
    faults = Counter(
        getattr(web.answer(*host_and_path(url)), "fault", "none").split("-")[0]
        for url, status in web.truth().status.items()
        if status == 200
    )
    assert 720 < faults["status"] < 880
    assert 320 < faults["not"] + faults["chunks"] < 480
    assert 720 < faults["reset"] + faults["close"] + faults["stall"] < 880
