"""The registrable domain: the part of a host name that someone can buy.

`news.example.co.uk` and `example.co.uk` belong to one owner, `a.github.io` and `b.github.io` to two. The
public suffix list knows; its private section (github.io) counts, because it is about who runs a site.

The package `publicsuffixlist` brings the list; its own reader takes 60 ms, which every worker would pay. A test
compares the two.
"""

from __future__ import annotations

from functools import cache, lru_cache
from pathlib import Path

from publicsuffixlist import PSLFILE
from xxhash import xxh3_128_digest

_IDN_PREFIX = "xn--"
MOST_LABELS = 8  # of a rule, with the one before it; the longest of today has seven


@lru_cache(maxsize=65_536)
def registrable_domain(host: str) -> str:
    """The registrable domain of a host; an IP address, a single label, a public suffix stands for itself."""
    if ":" in host or host.rpartition(".")[2].isdigit():  # canonical: a numeric last label means IPv4
        return host
    name = host.rstrip(".")
    labels = name.split(".")
    if not all(labels):
        return name or host  # of dots alone nothing would be left
    start = _suffix_start([_readable(label) for label in labels] if _IDN_PREFIX in name else labels)
    return ".".join(labels[max(0, start - 1) :])


def suffix_list_hash() -> bytes:
    """The same as long as the list is: it has news every few weeks."""
    return xxh3_128_digest(Path(PSLFILE).read_bytes())


def _suffix_start(labels: list[str]) -> int:
    """Where the public suffix begins. The longest rule that fits wins; where none does, the last label is one."""
    rules = _rules()
    for start in range(max(0, len(labels) - MOST_LABELS), len(labels) - 1):
        suffix = ".".join(labels[start:])
        if f"!{suffix}" in rules:
            return start + 1
        # Below *.x each name is a suffix, and x itself is nobody's either.
        if suffix in rules or f"*.{suffix.partition('.')[2]}" in rules or f"*.{suffix}" in rules:
            return start
    return len(labels) - 1


def _readable(label: str) -> str:
    """A label as the list writes it."""
    try:
        return label[4:].encode().decode("punycode") if label.startswith(_IDN_PREFIX) else label
    except UnicodeError:
        return label


@cache
def _rules() -> frozenset[str]:
    lines = Path(PSLFILE).read_text(encoding="utf-8").splitlines()
    return frozenset(line for line in lines if line and not line.startswith("//"))
