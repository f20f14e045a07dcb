"""A fingerprint of 64 bits that changes little when a text changes little (Charikar's simhash).

    words ──▶ each two neighbours ──xxh3──▶ 64 bits each ──▶ bit by bit, what most of them have

Pairs, because they tell texts with the same words apart, and because one changed word touches two of them and not
three or four. Letter case and punctuation do not count, nor how often a pair occurs. Chinese, Japanese, Thai and
others are written without spaces: there each character counts as a word. The same text has the same fingerprint
in every process and on every machine.

Two texts of n pairs that differ in d of them (gone or new) are about 64/π · atan(√(d/n)) bits apart; unrelated
ones 32. So the usual bound of 3 bits means: about one pair in fifty is another. Measured on 300 pages of 700 words
that the tests generate, a navigation and a footer of 40 words each being the same on all of them:

| what differs                 | mean distance | largest  | within 3 bits |
|------------------------------|---------------|----------|---------------|
| one word                     | 1.6           | 6        | 93 %          |
| two words more in the menu   | 1.5           | 6        | 94 %          |
| the date (three words)       | 2.1           | 7        | 83 %          |
| the whole navigation         | 6.9           | 16       | 8 %           |
| everything but the frame     | 29            | least 13 | none          |

Real pages (1,047 of javadoc with more than 300 words) with one word changed: 1.6, 8 and 91 %. A short text has few
pairs, so that any change is a large one.

An ASCII text of 5 KB, 660 words, takes 0.14 ms: 0.03 to find the words, 0.07 to hash the pairs, 0.03 to count.
Others take 0.18 ms, and Chinese of 5 KB (1,700 characters) 0.5 ms.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Final

from xxhash import xxh3_64_digest

from weft.regex import regex

NO_TEXT: Final = 0  # the fingerprint of a text without a word
# A longer text is judged by its beginning, so that time and memory are bounded.
MAX_CHARS: Final = 500_000

_BYTES = 8
# Everything in ASCII but letters and digits separates words; what lies beyond ASCII belongs to them.
_WORD_BYTES: Final = bytes(byte if byte >= 128 or chr(byte).isalnum() else ord(" ") for byte in range(256)).lower()
_UNSPACED: Final = (
    "\u0e00-\u0eff"  # Thai, Lao
    "\u1000-\u109f\u1780-\u17ff"  # Burmese, Khmer
    "\u3005-\u30ff"  # kana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # han
)
_ANY_UNSPACED = regex(f"[{_UNSPACED}]")
_WORD = regex(rf"[{_UNSPACED}]|[^\W{_UNSPACED}]+")


def simhash(text: str) -> int:
    """The fingerprint of a text; NO_TEXT if there is no word in it."""
    words = _words(text[:MAX_CHARS])
    pairs = map(b" ".join, pairwise(words)) if len(words) > 1 else iter(words)
    return _majority(b"".join(set(map(xxh3_64_digest, pairs))))


def hamming(a: int, b: int) -> int:
    """In how many bits two fingerprints differ."""
    return (a ^ b).bit_count()


def _words(text: str) -> list[bytes]:
    if not text.isascii():
        text = text.lower()
        if _ANY_UNSPACED.search(text):
            text = " ".join(_WORD.findall(text))
    return text.encode("utf-8", "replace").translate(_WORD_BYTES).split()


def _majority(hashes: bytes) -> int:
    """The bits that more than half of the hashes have.

    All first bytes of the hashes make one large number, all second bytes the next, and so on: eight numbers of
    which a mask picks one bit in each byte, and one `bit_count` counts them: 60 times as fast as hash by hash.
    """
    count = len(hashes) // _BYTES
    masks = [int.from_bytes(bytes((1 << bit,)) * count) for bit in range(8)]
    half = count // 2
    result = 0
    for place in range(_BYTES):
        column = int.from_bytes(hashes[place::_BYTES])
        for bit, mask in enumerate(masks):
            if (column & mask).bit_count() > half:
                result |= 1 << (8 * (_BYTES - 1 - place) + bit)
    return result
