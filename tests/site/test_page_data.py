"""What the page's script is given."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.site.reports import START, ordinary, referrers, report, section
from weft.site.findings import Finding, FindingKind, Referrer
from weft.site.fixing import FIXES, MEANINGS
from weft.site.page_data import PageData, page_data


def urls_of(data: PageData) -> list[str]:
    """As the page's script puts them together, which counts characters by UTF-16."""
    urls, last = [], b""
    for shared, rest in zip(data.url_shared, data.url_rest, strict=True):
        last = last[: 2 * shared] + rest.encode("utf-16-le")
        urls.append(last.decode("utf-16-le"))
    return urls


def test_each_url_stands_once_and_in_order() -> None:
    data = page_data(ordinary())
    urls = urls_of(data)
    assert urls == sorted(set(urls))
    assert [urls[at] for at in data.sections[0].urls[:2]] == [f"{START}terms-2019.html", f"{START}products/blue-teapot"]
    assert [urls[at] for at in data.sections[1].others] == [f"{START}newest/{at}" for at in range(4)]


@given(st.lists(st.text(st.sampled_from("ab𝒳𝒴é/"), max_size=6)))
def test_urls_are_put_together_again(urls: list[str]) -> None:
    kind = FindingKind.H1_MISSING
    data = page_data(report([section(kind, [Finding(kind, url) for url in urls])]))
    all_urls = urls_of(data)
    assert [all_urls[at] for at in data.sections[0].urls] == urls


def test_what_urls_begin_with_stands_once() -> None:
    kind = FindingKind.H1_MISSING
    data = page_data(report([section(kind, [Finding(kind, f"{START}a"), Finding(kind, f"{START}b")])]))
    assert data.url_rest == ["", f"{START}a", "b"]


def test_texts_are_in_the_order_of_their_numbers() -> None:
    kind = FindingKind.SLOW_PAGE
    texts = ["", "1.05 s", "1.2 s", "9 s", "10 s", "1,200 s", "a", "B", "c" + "9" * 400, "two"]
    data = page_data(report([section(kind, [Finding(kind, START, 0, text) for text in reversed(texts)])]))
    assert data.texts == texts


def test_referrers_of_a_url_stand_once_for_all_its_findings() -> None:
    pages = referrers(3)
    kinds = FindingKind.TITLE_MISSING, FindingKind.H1_MISSING
    data = page_data(report(section(kind, [Finding(kind, START, referrers=list(pages))]) for kind in kinds))
    assert data.lists.starts == [0, 3]
    assert [section.lists for section in data.sections] == [[0], [0]]


def test_lists_of_referrers_stand_one_behind_the_other() -> None:
    kind = FindingKind.BROKEN_LINK
    lists = [[Referrer("a", "x", "link", "nofollow")], [], [Referrer("b"), Referrer("c", "x", "link", "nofollow")]]
    data = page_data(report([section(kind, [Finding(kind, START, referrers=each) for each in lists])]))
    urls, kept = urls_of(data), data.lists
    assert kept.starts == [0, 1, 1, 3]
    assert [urls[page] for page in kept.pages] == ["a", "b", "c"]
    assert kept.hows == [0, 1, 0]
    assert [
        (data.texts[anchor], data.texts[place]) for anchor, place in zip(kept.anchors, kept.places, strict=True)
    ] == [
        ("x", "link nofollow"),
        ("", ""),
    ]


def test_a_folder_whose_name_is_no_text_can_be_named() -> None:
    assert page_data(report([], since="crawl-\udcff")).since == "crawl-?"


def test_each_kind_has_one_sentence_that_says_what_it_means_and_one_how_to_fix_it() -> None:
    assert MEANINGS.keys() == FIXES.keys() == set(FindingKind)
    for sentence in (*MEANINGS.values(), *FIXES.values()):
        assert sentence.endswith(".")
        assert ". " not in sentence
