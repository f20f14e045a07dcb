"""Near duplicates among texts, in memory."""

from __future__ import annotations

import random
import sys

from weft.export.near_texts import NearTexts
from weft.parse.simhash import NO_TEXT, hamming


def near(fingerprint: int, bits: int, chance: random.Random) -> int:
    for place in chance.sample(range(64), bits):
        fingerprint ^= 1 << place
    return fingerprint


def test_what_differs_in_three_bits_or_fewer_is_no_new_text() -> None:
    chance = random.Random(1)
    texts = NearTexts()
    first = [chance.getrandbits(64) for _ in range(500)]
    assert all(map(texts.is_new, first))
    for bits in range(4):
        assert not any(texts.is_new(near(one, bits, chance)) for one in first)
    assert all(texts.is_new(near(one, 4, chance)) for one in first)


def test_it_answers_as_a_comparison_with_all_texts_would() -> None:
    chance = random.Random(2)
    texts, known = NearTexts(), list[int]()
    for _ in range(1_500):
        one = near(chance.choice(known), chance.randrange(6), chance) if known and chance.random() < 0.5 else None
        one = chance.getrandbits(64) if one is None else one
        is_new = all(hamming(one, other) > 3 for other in known)
        assert texts.is_new(one) == is_new
        if is_new:
            known.append(one)


def test_texts_without_words_are_all_new() -> None:
    texts = NearTexts()
    assert texts.is_new(NO_TEXT)
    assert texts.is_new(NO_TEXT)


def test_a_text_takes_24_bytes_and_the_arrays_some_room_to_grow() -> None:
    chance = random.Random(3)
    texts = NearTexts()

    def size() -> int:
        return sum(sys.getsizeof(one) for one in (texts._prints, *texts._before, *texts._last))

    empty = size()
    for _ in range(20_000):
        texts.is_new(chance.getrandbits(64))
    assert (size() - empty) / 20_000 < 28


def test_texts_that_share_a_quarter_take_bounded_time() -> None:
    texts = NearTexts()
    chance = random.Random(4)
    for _ in range(5_000):
        texts.is_new(chance.getrandbits(48) << 16)  # all in one chain
    assert texts.is_new(0xFFFF_FFFF_FFFF_FFFF)
