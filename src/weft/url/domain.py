"""The registrable domain: the part of a host name that someone can buy.

`news.example.co.uk` and `example.co.uk` belong to one owner, `a.github.io` and `b.github.io` to two. The
public suffix list knows; its private section (github.io) counts, because it is about who runs a site.
"""

from __future__ import annotations

from functools import cache, lru_cache
from pathlib import Path

from publicsuffixlist import PSLFILE, PublicSuffixList
from xxhash import xxh3_128_digest


@lru_cache(maxsize=65_536)
def registrable_domain(host: str) -> str:
    """The registrable domain of a host; an IP address, a single label, a public suffix stands for itself."""
    if ":" in host or host.rpartition(".")[2].isdigit():  # canonical: a numeric last label means IPv4
        return host
    name = host.rstrip(".")
    return _suffix_list().privatesuffix(name) or name or host  # of dots alone nothing would be left


def suffix_list_hash() -> bytes:
    """The same as long as the list is: it has news every few weeks."""
    return xxh3_128_digest(Path(PSLFILE).read_bytes())


@cache
def _suffix_list() -> PublicSuffixList:
    # Reading the list takes 45 ms: a program that never asks does not pay.
    return PublicSuffixList(only_icann=False)
