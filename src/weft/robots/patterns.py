"""Paths matched against the patterns of Allow and Disallow lines.

Both sides are first brought to one normal form (RFC 9309 §2.2.2), so that octets can be compared:

| octet                                       | in the normal form                    | example       |
|---------------------------------------------|---------------------------------------|---------------|
| unreserved, written as %xx                  | itself                                | %7Ejoe → ~joe |
| any other %xx                               | kept, hex digits in upper case        | %2f → %2F     |
| outside ASCII                               | %XX each octet                        | é → %C3%A9    |
| `*` and `$` in a path, `$` inside a pattern | %2A, %24                              | a$b → a%24b   |
| not allowed in a URL                        | %XX                                   | a|b → a%7Cb   |
| reserved                                    | kept as written: `/` and `%2F` differ | a/b           |

The RFC says that reserved octets are to be encoded, too, and its figure 4 shows this for `:` and `/` in a
query but not for `?` and `=`. Taken literally `/` would equal `%2F` everywhere, against RFC 3986 §2.2 and
every crawler we know. So only a pattern that itself has a query is also compared with `: / ? @ ! ' ( ) , [
]` in the query decoded, where they separate nothing; that gives figure 4 and leaves all other patterns
alone.

The search. A pattern is cut at its wildcards. What comes before the first one, its head, must start the
path and is looked up in a dict: one look-up for each length of head that occurs. What follows is found from
left to right, each part at the first place after the one before; taking the first place is always right
because a later one leaves less room. Nothing is ever tried twice, so a hostile pattern costs no more than
one walk along the path. A hostile file has 30,000 of them, and links to paths of 8,000 octets: half a second for
each URL, in the engine. So where the walks together would be longer than MAX_WALK_OCTETS nothing is compared, and
the path is taken to be forbidden.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import msgspec

_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")

# Not yet normal: lower-case hex digits, encoded unreserved octets, and whatever must be encoded.
_NOT_NORMAL = re.compile(
    r"%(?:[0-9A-Fa-f][a-f]|[a-f][0-9A-F]|2[DE]|3[0-9]|4[1-9A-F]|5[0-9AF]|6[1-9A-F]|7[0-9AE])"
    r"|[^A-Za-z0-9\-._~:/?#\[\]@!&'()+,;=%]"
)
_HARMLESS_ENCODED = re.compile("%(?:3A|2F|3F|40|21|27|28|29|2C|5B|5D)")
_HARMLESS = re.compile(r"[:/?@!'(),\[\]]|" + _HARMLESS_ENCODED.pattern)

_ORDINAL_BITS = 24  # more lines than bytes in the largest file we parse
_ORDINAL_MASK = (1 << _ORDINAL_BITS) - 1
NO_MATCH = -1
MAX_WALK_OCTETS = 2_000_000  # some milliseconds; 1,000 patterns with two wildcards each and a path of 1,000 octets
MAX_QUICK_HEADS = 16  # most files have fewer
_OCTETS_A_PART = 32  # the time that it takes to begin another search
_PART_BYTES = 60  # that an object for it takes, besides its octets
_FORBIDDEN = (1 << 40) << _ORDINAL_BITS + 1  # more octets than any pattern has: a Disallow line that always wins


class Rule(NamedTuple):
    """An Allow or Disallow line's pattern, its octets outside ASCII already written as %XX."""

    allow: bool
    pattern: str


def normal_form(text: str) -> str:
    """`text` with every octet written in the one way in which it is compared."""
    if _NOT_NORMAL.search(text) is None:
        return text
    return _NOT_NORMAL.sub(_normal_octets, text)


def _normal_octets(match: re.Match[str]) -> str:
    found = match.group()
    if len(found) == 3:
        character = chr(int(found[1:], 16))
        return character if character in _UNRESERVED else found.upper()
    return "".join(f"%{octet:02X}" for octet in found.encode("utf-8", "surrogatepass"))


def _query_decoded(text: str) -> str:
    path, mark, query = text.partition("?")
    return path + mark + _HARMLESS_ENCODED.sub(lambda match: chr(int(match.group()[1:], 16)), query)


def _rank(octets: int, allow: bool, ordinal: int) -> int:
    return (octets << 1 | allow) << _ORDINAL_BITS | (_ORDINAL_MASK - ordinal)


def is_allow(rank: int) -> bool:
    """Whether the rule of this rank is an Allow line."""
    return bool(rank >> _ORDINAL_BITS & 1)


def ordinal_of(rank: int) -> int:
    """Which of the rules, counted from 0 in the order given, has this rank."""
    return _ORDINAL_MASK - (rank & _ORDINAL_MASK)


class Wildcard(NamedTuple):
    """What a pattern wants after its head: `inner` one after the other, then `tail` where the path ends."""

    rank: int
    inner: tuple[str, ...]
    tail: str | None  # None: the path may go on

    def matches_rest(self, path: str, start: int) -> bool:
        for part in self.inner:
            found = path.find(part, start)
            if found < 0:
                return False
            start = found + len(part)
        return self.tail is None or (len(path) - len(self.tail) >= start and path.endswith(self.tail))


class Index(msgspec.Struct, gc=False, array_like=True):
    """Patterns by their heads."""

    exact: dict[str, int] = {}  # /x$
    plain: dict[str, int] = {}  # /x and /x*
    wild: dict[str, list[Wildcard]] = {}  # all others
    parts: dict[str, int] = {}  # that these have after their heads
    plain_lengths: tuple[int, ...] = ()
    wild_lengths: tuple[int, ...] = ()
    octets: int = 0  # of all patterns together

    @property
    def size_bytes(self) -> int:
        """About how much memory it takes, besides what each line does."""
        return self.octets + _PART_BYTES * sum(self.parts.values())

    def add(self, rank: int, segments: list[str], anchored: bool) -> None:
        head, *rest = segments
        inner = tuple(filter(None, rest[:-1] if anchored else rest))
        self.octets += sum(map(len, segments))
        if anchored and not rest:
            self.exact[head] = max(rank, self.exact.get(head, NO_MATCH))
        elif not inner and not (anchored and rest[-1]):
            self.plain[head] = max(rank, self.plain.get(head, NO_MATCH))
        else:
            self.wild.setdefault(head, []).append(Wildcard(rank, inner, rest[-1] if anchored else None))
            self.parts[head] = self.parts.get(head, 0) + len(inner)

    def arrange(self) -> None:
        """Called once, when all patterns are in."""
        for wildcards in self.wild.values():
            wildcards.sort(key=lambda wildcard: wildcard.rank, reverse=True)
        self.plain_lengths = tuple(sorted({len(head) for head in self.plain}))
        self.wild_lengths = tuple(sorted({len(head) for head in self.wild}))

    def heads(self) -> set[str]:
        """With one of these a path begins that any pattern matches."""
        return {*self.exact, *self.plain, *self.wild}

    def best(self, path: str) -> int:
        best = self.exact.get(path, NO_MATCH)
        path_length = len(path)
        plain = self.plain
        for length in self.plain_lengths:
            if length > path_length:
                break
            rank = plain.get(path[:length], NO_MATCH)
            if rank > best:
                best = rank
        walk_octets = 0
        for length in self.wild_lengths:
            if length > path_length:
                break
            head = path[:length]
            wildcards = self.wild.get(head)
            if wildcards is None:
                continue
            walk_octets += len(wildcards) * path_length + self.parts[head] * _OCTETS_A_PART
            if walk_octets > MAX_WALK_OCTETS:
                return _FORBIDDEN | wildcards[0].rank & _ORDINAL_MASK
            for wildcard in wildcards:
                if wildcard.rank < best:
                    break  # they are sorted: no better one follows
                if wildcard.matches_rest(path, length):
                    best = wildcard.rank
                    break
        return best


class Patterns(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """The rules of one crawler, arranged for finding the most specific one that matches a path.

    A rank is one number that orders rules as §2.2.2 asks: more octets first, then Allow before Disallow, then
    the earlier line. Octets are counted in the pattern's normal form, `*` and `$` included.
    """

    index: Index
    query_index: Index | None
    heads: tuple[str, ...] | None  # with one of these a path begins that any pattern matches; None: the index can tell

    @property
    def size_bytes(self) -> int:
        """About how much memory they take, besides what each line does."""
        return self.index.size_bytes + (self.query_index.size_bytes if self.query_index is not None else 0)

    def best(self, path: str) -> int:
        """The rank of the rule that decides on `path`, or NO_MATCH."""
        has_query = self.query_index is not None and "?" in path
        # What the normal form changes has a % in it before or after, and these heads have none.
        if self.heads is not None and "%" not in path and not (has_query or path.startswith(self.heads)):
            return NO_MATCH
        path = normal_form(path)
        best = self.index.best(path)
        if self.query_index is not None and has_query:
            best = max(best, self.query_index.best(_query_decoded(path)))
        return best


def arranged(rules: Sequence[Rule]) -> Patterns:
    """`rules` as they are looked up."""
    index, query_index = Index(), Index()
    for ordinal, rule in enumerate(rules):
        _add(rule.pattern, rule.allow, ordinal, index, query_index)
        if rule.allow:
            _add(_directory_of_index_page(rule.pattern), rule.allow, ordinal, index, query_index)
    index.arrange()
    query_index.arrange()
    heads = index.heads()
    is_quick = len(heads) <= MAX_QUICK_HEADS and not any("%" in head for head in heads)
    return Patterns(index, query_index if query_index.heads() else None, tuple(heads) if is_quick else None)


def _add(pattern: str, allow: bool, ordinal: int, index: Index, query_index: Index) -> None:
    if not pattern:
        return  # an empty pattern decides nothing: without any other match all is allowed
    anchored = pattern.endswith("$")
    segments = [normal_form(segment) for segment in pattern.removesuffix("$").split("*")]
    normal = "*".join(segments)
    rank = _rank(len(normal) + anchored, allow, ordinal)
    index.add(rank, segments, anchored)
    if _HARMLESS.search(normal.partition("?")[2]):
        query_index.add(rank, _query_decoded(normal).split("*"), anchored)


def _directory_of_index_page(pattern: str) -> str:
    """Google's reading: who allows `/dir/index.html` allows `/dir/`, the page's other name, as well."""
    slash = pattern.rfind("/")
    if slash >= 0 and pattern.startswith("/index.htm", slash):
        return pattern[: slash + 1] + "$"
    return ""
