"""A web with a topic: what is said of it holds, and what is served is what the truth says."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection
from functools import cache
from urllib.parse import urlsplit

import pytest

from weft.errors import BadInput
from weft.simweb import SimWeb, WebSpec
from weft.simweb.topical import Classes, TopicalTruth
from weft.simweb.topical_text import TOPIC_WORDS

from .reference import ask_model, crawl_model

SPEC = WebSpec(hosts=200, pages=20_000, seed_hosts=3, links_per_page=12, relevant_share=0.05, redirect_share=0)
SMALL = WebSpec(hosts=30, pages=900, seed_hosts=3, links_per_page=12, relevant_share=0.05, redirect_share=0)
TOPIC = re.compile("|".join(TOPIC_WORDS))
ANCHOR = re.compile(r"<a [^>]*>([^<]*)</a>")
SIGMAS = 5


@cache
def web() -> SimWeb:
    return SimWeb(SPEC, port=8080)


@cache
def truth() -> TopicalTruth:
    return web().topical_truth()


def assert_share(found: int, of: int, share: float) -> None:
    assert abs(found - share * of) < SIGMAS * math.sqrt(of * share * (1 - share)), f"{found / of:.4f}, not {share}"


def links_to_relevant(pages: Collection[int]) -> tuple[int, int]:
    """Of the links of these pages: how many lead to relevant ones, and all."""
    targets = [target for page in pages for target in truth().targets[page]]
    return sum(target in truth().relevant for target in targets), len(targets)


def test_a_twentieth_of_the_pages_is_relevant_and_hosts_differ() -> None:
    assert len(truth().relevant) == 1_000
    relevant = Counter(urlsplit(truth().urls[page]).hostname for page in truth().relevant)
    shares = sorted(relevant[host.name] / host.page_count for host in web().hosts if host.page_count >= 50)
    assert shares[0] < 0.02
    assert shares[-1] > 0.1


def test_three_of_ten_links_of_a_relevant_page_lead_to_relevant_pages() -> None:
    assert_share(*links_to_relevant(truth().relevant), 0.3)


def test_links_of_other_pages_lead_to_relevant_ones_at_the_base_rate() -> None:
    others = set(range(SPEC.pages)) - truth().relevant
    assert_share(*links_to_relevant(others), 0.05 * 0.7 / 0.95)


def test_relevant_pages_get_as_many_links_as_others() -> None:
    found, links = links_to_relevant(range(SPEC.pages))
    assert found / links == pytest.approx(0.05, rel=0.1)


def test_three_of_four_links_stay_on_their_host() -> None:
    hosts = [urlsplit(url).hostname for url in truth().urls]
    edges = [(page, target) for page in range(SPEC.pages) for target in truth().targets[page]]
    assert sum(hosts[page] == hosts[target] for page, target in edges) / len(edges) == pytest.approx(0.75, abs=0.03)


def test_in_links_are_few_for_most_pages_and_very_many_for_a_few() -> None:
    in_degrees = Counter(target for targets in truth().targets for target in targets)
    ranked = sorted((in_degrees[page] for page in range(SPEC.pages)), reverse=True)
    assert ranked[0] > 100 * ranked[SPEC.pages // 2]
    assert sum(ranked[: SPEC.pages // 100]) > 0.15 * sum(ranked)
    tail = [degree for degree in ranked if degree >= 40]
    exponent = 1 + len(tail) / sum(math.log(degree / 39.5) for degree in tail)
    assert 2.1 < exponent < 2.7


def test_a_page_links_to_another_page_once_and_never_to_itself() -> None:
    for page, targets in enumerate(truth().targets):
        assert len({page, *targets}) == len(targets) + 1


def test_nearly_all_pages_can_be_reached() -> None:
    small = SimWeb(SMALL)
    assert len(small.truth().fetchable) > 0.97 * SMALL.pages


def test_hubs_are_relevant_have_many_links_and_lead_to_pages_that_many_link_to() -> None:
    in_degrees = Counter(target for targets in truth().targets for target in targets)
    assert 10 <= len(truth().hubs) <= 50
    assert truth().hubs <= truth().relevant
    mean = sum(in_degrees[target] for targets in truth().targets for target in targets) / sum(in_degrees.values())
    assert all(len(truth().targets[hub]) > 4 * SPEC.links_per_page for hub in truth().hubs)
    of_hubs = [in_degrees[target] for hub in truth().hubs for target in truth().targets[hub]]
    assert sum(of_hubs) / len(of_hubs) > 1.5 * mean


def test_of_three_seeds_one_is_relevant() -> None:
    assert [seed in truth().relevant for seed in truth().seeds] == [True, False, False]
    assert web().seeds() == [truth().urls[seed] for seed in truth().seeds]


def test_three_anchors_of_ten_mislead_whatever_page_they_are_on() -> None:
    misleading: Counter[bool] = Counter()
    links: Counter[bool] = Counter()
    for page in [*sorted(truth().relevant), *range(0, SPEC.pages, 10)]:
        relevant = page in truth().relevant
        anchors = ANCHOR.findall(ask_model(web(), truth().urls[page]).text)
        found = [bool(TOPIC.search(anchor)) for anchor in anchors]
        right = [target in truth().relevant for target in truth().targets[page]]
        assert [one is not other for one, other in zip(found, right, strict=True)] == truth().misleading[page]
        links[relevant] += len(anchors)
        misleading[relevant] += sum(truth().misleading[page])
    for relevant in (True, False):
        assert_share(misleading[relevant], links[relevant], 0.3)


def test_the_text_of_relevant_pages_has_words_of_the_topic_and_that_of_others_seldom() -> None:
    def mentions(page: int) -> int:
        html = ask_model(web(), truth().urls[page]).text
        return len(TOPIC.findall(ANCHOR.sub("", html.partition("</h1>")[2])))

    relevant = [mentions(page) for page in truth().relevant]
    assert min(relevant) >= 2  # a word may fall on the place of another
    assert max(relevant) > 25
    others = [mentions(page) for page in range(SPEC.pages)[::7] if page not in truth().relevant]
    assert set(others) == {0, 1}
    assert_share(sum(others), len(others), SPEC.mention_share)


def test_served_links_are_the_edges_of_the_truth() -> None:
    for page in range(0, SPEC.pages, 20):
        url = truth().urls[page]
        served, _ = ask_model(web(), url).targets(url)
        assert served == [truth().urls[target] for target in truth().targets[page]]


def test_a_crawl_finds_what_the_truth_says() -> None:
    small = SimWeb(SMALL)
    assert crawl_model(small, 9, lowers_depth=True) == small.truth(9).fetchable


def test_the_same_seed_gives_the_same_web_and_another_another() -> None:
    one, same = SimWeb(SMALL), SimWeb(SMALL)
    assert one.topical_truth() == same.topical_truth()
    url = one.topical_truth().urls[33]
    assert ask_model(one, url).body == ask_model(same, url).body
    other = SimWeb(WebSpec(seed=2, hosts=30, pages=900, seed_hosts=3, relevant_share=0.05))
    assert other.topical_truth().targets != one.topical_truth().targets


@pytest.mark.parametrize("home_is_relevant", [True, False])
def test_the_ranks_of_a_class_are_its_pages_in_order(home_is_relevant: bool) -> None:
    for pages in range(1, 30):
        for relevant in range(pages + 1):
            classes = Classes(pages, relevant, home_is_relevant)
            for wanted in (True, False):
                members = [number for number in range(pages) if classes.is_relevant(number) is wanted]
                assert len(members) == classes.count(relevant=wanted)
                assert members == [classes.nth(rank, relevant=wanted) for rank in range(len(members))]


def test_a_web_cannot_be_about_one_topic_only() -> None:
    with pytest.raises(BadInput, match="relevant_share"):
        WebSpec(relevant_share=0.5)
