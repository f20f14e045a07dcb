"""Fingerprints of texts: near for near duplicates, far for all others, the same everywhere."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Callable
from itertools import pairwise
from statistics import mean

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xxhash import xxh3_64_intdigest

from weft.parse.simhash import MAX_CHARS, NO_TEXT, hamming, simhash

NEAR_BITS = 3
PAGES = 300
WORDS_A_PAGE = 700

_SYLLABLES = ["ba", "do", "fe", "gri", "ka", "lo", "mun", "ner", "pi", "qua", "ro", "sta", "tu", "ve", "xi", "zor"]
_VOCABULARY = [first + second + third for first in _SYLLABLES for second in _SYLLABLES for third in _SYLLABLES]
# Common words are common, as in any language: the one at place n has a share of 1/n.
_SHARES = [1 / place for place in range(1, len(_VOCABULARY) + 1)]

Page = list[str]


def words(chance: random.Random, count: int) -> Page:
    return chance.choices(_VOCABULARY, _SHARES, k=count)


def page(number: int) -> Page:
    """A page of one site: every page begins with the same navigation, has a date, and ends with the same footer."""
    navigation = words(random.Random("navigation"), 40)
    footer = words(random.Random("footer"), 40)
    chance = random.Random(number)
    return [*navigation, "12", "march", "2026", *words(chance, WORDS_A_PAGE - 83), *footer]


def with_one_word_changed(page: Page, chance: random.Random) -> Page:
    place = chance.randrange(len(page))
    return [*page[:place], "another", *page[place + 1 :]]


def with_another_date(page: Page, _chance: random.Random) -> Page:
    return [*page[:40], "3", "october", "2027", *page[43:]]


def with_an_entry_more_in_the_navigation(page: Page, chance: random.Random) -> Page:
    place = chance.randrange(40)
    return [*page[:place], "entirely", "new", *page[place:]]


def with_other_navigation(page: Page, chance: random.Random) -> Page:
    return [*words(chance, 40), *page[40:]]


def distances(change: Callable[[Page, random.Random], Page]) -> list[int]:
    """How far each page moves by a change."""
    chance = random.Random(change.__name__)
    return [fingerprint_distance(page(n), change(page(n), chance)) for n in range(PAGES)]


def fingerprint_distance(one: Page, other: Page) -> int:
    return hamming(simhash(" ".join(one)), simhash(" ".join(other)))


# ── near and far ───────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("change", [with_one_word_changed, with_another_date, with_an_entry_more_in_the_navigation])
def test_pages_that_differ_in_a_detail_are_near(change: Callable[[Page, random.Random], Page]) -> None:
    found = distances(change)
    assert sum(bits <= NEAR_BITS for bits in found) > 0.8 * PAGES
    assert mean(found) < 2.5
    assert max(found) < 10


def test_different_pages_of_one_site_are_far_apart() -> None:
    fingerprints = [simhash(" ".join(page(n))) for n in range(PAGES)]
    found = [hamming(one, other) for n, one in enumerate(fingerprints) for other in fingerprints[:n]]
    assert min(found) > 2 * NEAR_BITS
    assert 25 < mean(found) < 35


def test_other_navigation_around_the_same_text_leaves_pages_nearer_than_different_ones() -> None:
    assert mean(distances(with_other_navigation)) < 10


def test_the_order_of_words_counts() -> None:
    text = page(1)
    shuffled = random.Random(1).sample(text, len(text))
    assert fingerprint_distance(text, shuffled) > 2 * NEAR_BITS


@pytest.mark.parametrize(
    "other",
    ["Never odd, or even!", "never odd\n\nor  even", "NEVER ODD OR EVEN", "(never) odd-or-even"],
)
def test_letter_case_punctuation_and_spacing_do_not_count(other: str) -> None:
    assert simhash(other) == simhash("never odd or even")


def test_how_often_a_phrase_is_repeated_does_not_count() -> None:
    assert simhash("all work and no play " * 2) == simhash("all work and no play " * 50)


def test_text_without_spaces_is_compared_character_by_character() -> None:
    chance = random.Random(4)
    text = [chr(0x4E00 + int(chance.paretovariate(0.5)) % 3_000) for _ in range(1_500)]
    changed = [*text[:700], "書", *text[701:]]
    others = chance.sample(text, len(text))
    assert hamming(simhash("".join(text)), simhash("".join(changed))) <= NEAR_BITS
    assert hamming(simhash("".join(text)), simhash("".join(others))) > 2 * NEAR_BITS


@pytest.mark.parametrize("one", ["东京大学", "ภาษาไทย", "ひらがな"])
def test_an_unspaced_script_is_split_also_beside_latin_words(one: str) -> None:
    assert simhash(f"linux{one}kernel") == simhash(f"Linux {' '.join(one)} kernel")


# ── the same everywhere ────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("text", "fingerprint"),
    [
        ("", NO_TEXT),
        (" .!? ", NO_TEXT),
        ("word", 0xE3CE369CF66C5C55),
        ("The quick brown fox jumps over the lazy dog.", 0x12BF80024A210544),
        ("Füchse springen über Hunde", 0x1CF6A5EAF0AA37D3),
        ("政府は昨日", 0x5000A0225A00401C),
    ],
)
def test_a_text_keeps_its_fingerprint_for_ever(text: str, fingerprint: int) -> None:
    assert simhash(text) == fingerprint


def test_a_fingerprint_does_not_depend_on_the_process() -> None:
    program = "import sys; from weft.parse.simhash import simhash; print(simhash(sys.argv[1]))"
    text = " ".join(page(7))
    for seed in ("0", "1"):
        ran = subprocess.run(
            [sys.executable, "-c", program, text],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            timeout=60,
            check=True,
        )
        assert int(ran.stdout) == simhash(text)


def test_bits_are_what_most_pairs_have() -> None:
    """Against the definition, counted bit by bit."""
    text = words(random.Random(9), 201)
    pairs = {f"{one} {other}".encode() for one, other in pairwise(text)}
    hashes = [xxh3_64_intdigest(pair) for pair in pairs]
    expected = sum(1 << bit for bit in range(64) if 2 * sum(value >> bit & 1 for value in hashes) > len(hashes))
    assert simhash(" ".join(text)) == expected


def test_a_text_is_judged_by_its_beginning() -> None:
    beginning = ("word " * (MAX_CHARS // 5))[:MAX_CHARS]
    assert simhash(beginning + "and more of it") == simhash(beginning)


@settings(max_examples=100, deadline=None, database=None)
@given(st.text(st.characters(exclude_categories=()), max_size=200))
def test_any_text_has_a_fingerprint_of_64_bits(text: str) -> None:
    assert 0 <= simhash(text) < 1 << 64


@pytest.mark.parametrize(("one", "other", "bits"), [(0, 0, 0), (0b1011, 0b0001, 2), (0, (1 << 64) - 1, 64)])
def test_distance_is_the_number_of_bits_that_differ(one: int, other: int, bits: int) -> None:
    assert hamming(one, other) == hamming(other, one) == bits
