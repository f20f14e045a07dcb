"""Session ids in URLs: which arguments change nothing on a host, learned from its pages.

    a page comes under a second id, and is the same       ──▶ it is a sample; its URL without the id is asked for
    that is the same, for three samples unlike each other ──▶ proven: the host's URLs go without the argument
    nothing such comes without the id                     ──▶ the same again, with one id that is kept for all
    a page differs under another id, or the kept one      ──▶ the argument names pages: nothing is changed, for good
    one page links to one URL under two ids               ──▶ likewise, if such an argument can name pages at all

What is proven holds for paths on which pages were the same twice, and for all once there are PATHS_TO_TRUST of them: a
menu that every session shares says nothing of the pages that it leads to.

So what looks like a session id is never refused for its looks, and a page that differs is always fetched. Only where
ids are certainly sessions (by their name, or because page after page gives all its links a new one) and the pages
change anyway, a page is visited under MAX_IDS of them and no more; where they may be names, under MAX_SAME_IDS while
not one made a difference. One owner and one table (`traps` in the database), so nothing depends on which worker saw
what, nor on stops.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final

import msgspec
from xxhash import xxh3_64_intdigest

from weft.filter.session_ids import SessionId, SessionRule, SessionRules, session_id_in
from weft.filter.traps import SESSION_IDS
from weft.folder.refused_list import Rows
from weft.state import Batch, State
from weft.state.keys import end_of, host_of_key, host_prefix
from weft.types import FoundLink, Kind, Likeness, Link, PageRow, Refusal, TrailNote, Visit
from weft.url import host_of, is_own_request, url_id

SAMPLES: Final = 3  # pages that must be proven to be the same
NEAR_BITS: Final = (
    8  # of the simhash, where all words are the same: a clock or a counter differs, not a table of numbers
)
MOST_CHANGED: Final = 0.1  # of words and numbers: a table of numbers changes more, where it is another
MAX_IDS: Final = 8
MAX_SAME_IDS: Final = 32
TIMES_TO_HOLD: Final = 2  # pages of a path that were the same under another id
PATHS_TO_TRUST: Final = 24
MAX_PATHS: Final = 100
NEVER: Final = -MAX_PATHS
NEW_IDS_TO_TELL: Final = 16  # pages that gave their links a new id

_EVIDENCE, _AFTER_EVIDENCE, _VERSIONS = b"h", b"i", b"p"  # the beginnings of keys
_OK: Final = 200


class Verdict(IntEnum):
    """What is known of an argument on a host."""

    OPEN = 0
    PROVEN = 1
    DIFFERS = 2  # some page was another one under another id
    NAMES = 3  # a page names others by it


class Versions(msgspec.Struct, array_like=True):
    """A page under its ids; the key is the id of its URL without one."""

    page: bytes  # id of the URL under which it was visited first
    session: str  # the session id of that
    likeness: Likeness | None
    depth: int
    count: int = 1


class Sample(msgspec.Struct, array_like=True):
    """A page that was the same under two ids."""

    link: Link
    session: str  # its first id
    likeness: Likeness
    is_proven: bool = False


class Evidence(msgspec.Struct, array_like=True):
    """What was seen of an argument on a host."""

    samples: list[Sample] = []
    verdict: Verdict = Verdict.OPEN
    lengths: list[int] = []  # of the samples' ids
    kept: str = ""  # without an id nothing came: this one is tried
    paths: dict[str, int] = {}  # how often a page there was the same under another id
    is_wary: bool = False  # a page differed after all: what is proven holds for the paths where it was, and no others
    new_ids: list[int] = []  # hashes of those that pages gave to their links
    is_stable: bool = False  # two pages gave the same one: then it is no id that is new with every visit


_Key = tuple[str, str]  # host, argument
_encode = msgspec.msgpack.Encoder().encode
_decode_evidence = msgspec.msgpack.Decoder(Evidence).decode
_decode_versions = msgspec.msgpack.Decoder(Versions).decode


def is_same(one: Likeness, other: Likeness) -> bool:
    """Whether two responses are the same page, but for a clock or some counters on it."""
    if one.exact == other.exact:
        return True
    if not one.words or one.words != other.words or len(one.numbers) != len(other.numbers):
        return False
    changed = sum(a != b for a, b in zip(one.numbers, other.numbers, strict=True)) / max(len(one.numbers), 1)
    return changed * one.share <= MOST_CHANGED


class Sessions:
    """The evidence of a crawl. Methods that take a batch put rows into it; `settle` follows its write."""

    def __init__(self, state: State, wanted: frozenset[str] = frozenset((SESSION_IDS,))) -> None:
        self._state = state
        self._is_on = SESSION_IDS in wanted
        self.rules = SessionRules()
        self._news: list[SessionRule] = []
        self._evidence_in_batch: dict[_Key, Evidence] = {}
        self._versions_in_batch: dict[bytes, Versions] = {}
        # URLs that are asked for as proof. Filled by _take_up, emptied as they come; bound: SAMPLES an argument.
        self._probes: dict[bytes, tuple[_Key, int]] = {}
        for key, row in state.scan("traps", _EVIDENCE, _AFTER_EVIDENCE) if self._is_on else ():
            host, _, argument = host_of_key(key[len(_EVIDENCE) :]).rpartition("\0")
            self._take_up((host, argument), _decode_evidence(row))

    def compares(self, id_: bytes, url: str, host: str) -> bool:
        """Whether it should be said of a page what it is like."""
        if id_ in self._probes:
            return True
        found = self._found(url)
        return found is not None and _is_open(self._evidence((host, found.argument)), found.path)

    def awaits(self, visit: Visit) -> bool:
        """Whether the page of a visit may decide what its host is asked next, so that it is to be read before."""
        if visit.id in self._probes:
            return True
        found = self._found(visit.link.url)
        if found is None or is_own_request(visit.link.parts):
            return False
        evidence = self._evidence((visit.host, found.argument))
        if _is_open(evidence, found.path):
            return True
        return evidence.verdict is not Verdict.NAMES and found.value != evidence.kept and _are_sessions(found, evidence)

    def is_probe(self, id_: bytes) -> bool:
        """Whether a page is asked for as proof."""
        return id_ in self._probes

    def settled(self, id_: bytes, host: str, link: Link) -> tuple[bytes, Link]:
        """The link as it is asked for; of a page that was visited under an id, with the id of that URL."""
        if link.kind is Kind.SEED or is_own_request(link.parts):
            return id_, link
        url = self.rules.settled(link.url, host, link.via, link.redirects)
        if url != link.url:
            id_, link = url_id(url, host), msgspec.structs.replace(link, url=url)
        bare = self.rules.page_of(url, host)
        versions = self._versions(url_id(bare, host)) if bare is not None else None
        return versions.page if versions is not None else id_, link

    def id_of(self, url: str) -> bytes:
        """The id of the URL under which a page was visited, or would be."""
        return self.settled(url_id(url), host_of(url), Link(url, 1))[0]

    def refuses(self, visit: Visit) -> Refusal | None:
        """Why a URL whose turn has come is not to be asked for as it is."""
        link = visit.link
        found = self._found(link.url)
        if found is None or link.kind is Kind.SEED or is_own_request(link.parts):
            return None
        versions = self._versions(url_id(found.bare, visit.host))
        if versions is not None and versions.page == visit.id:
            return None  # it stands for all others, and is to be asked again: its record was lost, or for an update
        if self.rules.settled(link.url, visit.host, link.via, link.redirects) != link.url:
            return Refusal.SESSION_ID
        if versions is None or versions.count < MAX_IDS:
            return None
        evidence = self._evidence((visit.host, found.argument))
        if evidence.verdict is Verdict.NAMES:
            return None
        if _are_sessions(found, evidence):
            return Refusal.TRAP
        return Refusal.TRAP if versions.count >= MAX_SAME_IDS and evidence.verdict is Verdict.OPEN else None

    def learn(self, batch: Batch, id_: bytes, page: PageRow, note: TrailNote | None) -> list[FoundLink]:
        """A page has come. Returns what should be asked for to prove something."""
        wanted = []
        likeness = note.likeness if note is not None and page.status == _OK else None
        for key in note.named if note is not None else ():
            if self._is_on and self._evidence(key).verdict in (Verdict.OPEN, Verdict.DIFFERS):
                self._judge(batch, key, Verdict.NAMES)
        if id_ in self._probes:
            wanted += self.probed(batch, id_, likeness)
        found = self._found(page.url)
        if found is None or page.status != _OK or page.truncated or is_own_request(page.parts):
            return wanted
        key = host_of(page.url), found.argument
        if note is not None and note.new_id:
            self._note_new_id(batch, key, note.new_id)
        bare_id = url_id(found.bare)
        versions = self._versions(bare_id)
        if versions is None:
            versions = Versions(id_, found.value, likeness, page.depth)
        elif versions.session != found.value:
            versions.count += 1
            if likeness is not None and versions.likeness is not None:
                if is_same(versions.likeness, likeness):
                    self._confirm(batch, key, found.path)
                    wanted += self._add_sample(batch, key, versions, page.url, found, note)
                else:
                    self._differs(batch, key, found.path)
        self._versions_in_batch[bare_id] = versions
        batch.put("traps", _VERSIONS + bare_id, _encode(versions))
        return wanted

    def probed(self, batch: Batch, id_: bytes, likeness: Likeness | None) -> list[FoundLink]:
        """What was asked for as proof has come, or has not: then `likeness` is None."""
        key, number = self._probes.pop(id_)
        evidence = self._evidence(key)
        sample = evidence.samples[number]
        wanted: list[FoundLink] = []
        if likeness is not None and is_same(sample.likeness, likeness):
            sample.is_proven = True
        elif not evidence.kept:
            evidence.kept = evidence.samples[0].session
            for each in evidence.samples:
                each.is_proven = each.session == evidence.kept
            wanted = [_probe(evidence, each) for each in evidence.samples if not each.is_proven]
        else:
            evidence.verdict = Verdict.DIFFERS
        if len(evidence.samples) == SAMPLES and all(each.is_proven for each in evidence.samples):
            evidence.verdict = Verdict.PROVEN
        self._put(batch, key, evidence)
        self._probes = {probe: what for probe, what in self._probes.items() if what[0] != key}
        self._news += self._take_up(key, evidence)
        return wanted

    def take_news(self) -> list[SessionRule]:
        """The rules that were proven since this was asked before, for the workers."""
        news, self._news = self._news, []
        return news

    def settle(self) -> None:
        """The batch is written."""
        self._evidence_in_batch.clear()
        self._versions_in_batch.clear()

    def _note_new_id(self, batch: Batch, key: _Key, new_id: str) -> None:
        evidence = self._evidence(key)
        known = xxh3_64_intdigest(new_id.encode())
        if not evidence.is_stable and (known in evidence.new_ids or len(evidence.new_ids) < NEW_IDS_TO_TELL):
            evidence.is_stable = known in evidence.new_ids
            evidence.new_ids = [*evidence.new_ids, known]
            self._put(batch, key, evidence)

    def _add_sample(
        self, batch: Batch, key: _Key, versions: Versions, page_url: str, found: SessionId, note: TrailNote | None
    ) -> list[FoundLink]:
        evidence = self._evidence(key)
        likeness = versions.likeness
        if evidence.verdict is not Verdict.OPEN or note is None or note.bare is None or likeness is None:
            return []
        if len(evidence.samples) == SAMPLES or any(is_same(each.likeness, likeness) for each in evidence.samples):
            return []  # the same error page for all of them would prove nothing
        link = note.bare.link
        link = msgspec.structs.replace(
            link, url=found.url_with(page_url, versions.session), depth=min(link.depth, versions.depth)
        )
        sample = Sample(link, versions.session, likeness, is_proven=versions.session == evidence.kept)
        evidence.samples.append(sample)
        evidence.lengths = sorted({*evidence.lengths, len(found.value), len(versions.session)})
        if len(evidence.samples) == SAMPLES and all(each.is_proven for each in evidence.samples):
            evidence.verdict = Verdict.PROVEN
        self._put(batch, key, evidence)
        self._news += self._take_up(key, evidence)
        return [] if sample.is_proven else [_probe(evidence, sample)]

    def _take_up(self, key: _Key, evidence: Evidence) -> list[SessionRule]:
        """Go by the evidence: returns the rule that it proves, and remembers which URLs are still to be asked for."""
        if evidence.verdict is Verdict.PROVEN:
            rule = _rule(key, evidence)
            self.rules.add(rule)
            return [rule]
        if evidence.verdict is Verdict.OPEN:
            for number, sample in enumerate(evidence.samples):
                if not sample.is_proven:
                    self._probes[_probe(evidence, sample).id] = key, number
        return []

    def _confirm(self, batch: Batch, key: _Key, path: str) -> None:
        evidence = self._evidence(key)
        times = evidence.paths.get(path, 0)
        if 0 <= times < TIMES_TO_HOLD and (times or len(evidence.paths) < MAX_PATHS):
            evidence.paths = evidence.paths | {path: times + 1}
            self._put(batch, key, evidence)
            if evidence.verdict is Verdict.PROVEN and times + 1 == TIMES_TO_HOLD:
                self._news += self._take_up(key, evidence)

    def _differs(self, batch: Batch, key: _Key, path: str) -> None:
        evidence = self._evidence(key)
        if evidence.verdict is Verdict.PROVEN:
            evidence.is_wary = True
            evidence.paths = evidence.paths | {path: NEVER}
            self._put(batch, key, evidence)
        else:
            self._judge(batch, key, Verdict.DIFFERS)

    def _judge(self, batch: Batch, key: _Key, verdict: Verdict) -> None:
        evidence = self._evidence(key)
        if evidence.verdict is not Verdict.PROVEN:
            evidence.verdict = max(evidence.verdict, verdict)
            self._put(batch, key, evidence)
            self._probes = {probe: what for probe, what in self._probes.items() if what[0] != key}

    def _found(self, url: str) -> SessionId | None:
        return session_id_in(url) if self._is_on and ("=" in url or "(" in url) else None

    def _evidence(self, key: _Key) -> Evidence:
        if (known := self._evidence_in_batch.get(key)) is not None:
            return known
        row = self._state.get("traps", _row_key(key))
        return _decode_evidence(row) if row is not None else Evidence()

    def _versions(self, bare_id: bytes) -> Versions | None:
        if (known := self._versions_in_batch.get(bare_id)) is not None:
            return known
        row = self._state.get("traps", _VERSIONS + bare_id)
        return _decode_versions(row) if row is not None else None

    def _put(self, batch: Batch, key: _Key, evidence: Evidence) -> None:
        self._evidence_in_batch[key] = evidence
        batch.put("traps", _row_key(key), _encode(evidence))


def proven_of(rows: Rows, host: str) -> SessionRules:
    """What was proven of a host, for who only reads."""
    prefix = _EVIDENCE + host_prefix(host)
    found = (
        (key[len(prefix) :].decode(), _decode_evidence(row)) for key, row in rows.scan("traps", prefix, end_of(prefix))
    )
    return SessionRules(_rule((host, name), one) for name, one in found if one.verdict is Verdict.PROVEN)


def first_version(rows: Rows, bare: str) -> bytes | None:
    """The id of the URL under which a page was visited first, by its URL without a session id."""
    row = rows.get("traps", _VERSIONS + url_id(bare))
    return _decode_versions(row).page if row is not None else None


def _rule(key: _Key, evidence: Evidence) -> SessionRule:
    """What evidence that is enough says."""
    holds = tuple(path for path, times in evidence.paths.items() if times >= TIMES_TO_HOLD)
    paths = holds if evidence.is_wary or len(holds) < PATHS_TO_TRUST else None
    return SessionRule(*key, evidence.kept, tuple(evidence.lengths), paths)


def _is_open(evidence: Evidence, path: str) -> bool:
    """Whether another page there would tell something."""
    if evidence.verdict is not Verdict.PROVEN:
        return evidence.verdict is Verdict.OPEN
    return 0 <= evidence.paths.get(path, 0) < TIMES_TO_HOLD


def _are_sessions(found: SessionId, evidence: Evidence) -> bool:
    """Whether ids are certainly sessions."""
    return found.is_strong or (len(evidence.new_ids) == NEW_IDS_TO_TELL and not evidence.is_stable)


def _row_key(key: _Key) -> bytes:
    return _EVIDENCE + host_prefix(key[0]) + key[1].encode()


def _probe(evidence: Evidence, sample: Sample) -> FoundLink:
    """What is asked for as proof: the sample without an id, or with the kept one."""
    url = sample.link.url
    found = session_id_in(url)
    assert found is not None
    url = found.url_with(url, evidence.kept) if evidence.kept else found.bare
    return FoundLink(url_id(url), host_of(url), msgspec.structs.replace(sample.link, url=url))
