"""Limits that have changed since the run before: what the old ones refused is taken up again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weft.folder.page_rows import limit_over, visits_by_host
from weft.pipeline.rereading import relax_where
from weft.state import Batch, State
from weft.state.keys import host_key
from weft.types import Link, Refusal

if TYPE_CHECKING:
    from weft.pipeline.ledger import Ledger

_encode = msgspec.msgpack.Encoder().encode
_decode_limit = msgspec.msgpack.Decoder(int | None).decode
_decode_link = msgspec.msgpack.Decoder(Link).decode


def adopt_limits(ledger: Ledger, state: State, max_depth: int | None, host_budget: int | None) -> None:
    """Remember depth limit and host budget; where one was raised, take up what the old one refused."""
    _adopt_depth_limit(ledger, state, max_depth)
    _adopt_host_budget(ledger, state, host_budget)


def _adopt_depth_limit(ledger: Ledger, state: State, max_depth: int | None) -> None:
    """Remember the depth limit; if it was raised, look again for what the old one refused."""
    stored = state.get("meta", b"depth")
    now = _encode(max_depth)
    if stored == now:
        return
    old = _decode_limit(stored) if stored else None
    if old is not None and (max_depth is None or max_depth > old):
        _take_all_back(ledger, state, Refusal.DEPTH)
        relax_where(ledger, state, lambda page: page.depth >= old)
    batch = ledger.batch()
    batch.put("meta", b"depth", now)
    ledger.write(batch)


def _adopt_host_budget(ledger: Ledger, state: State, budget: int | None) -> None:
    """Remember the budget of each host; if it was raised, queue what the old one refused."""
    stored = state.get("meta", b"host-budget")
    now = _encode(budget)
    if stored == now:
        return
    _take_all_back(ledger, state, Refusal.HOST_BUDGET)
    batch = ledger.batch()
    if budget is not None and (stored is None or _decode_limit(stored) is None):  # nobody has counted so far
        for host, count in visits_by_host(state).items():
            batch.put("visits", host_key(host), count.to_bytes(4, "big"))
    batch.put("meta", b"host-budget", now)
    ledger.write(batch)


def take_back(ledger: Ledger, batch: Batch, key: bytes, link: Link) -> None:
    """Queue what a limit refused; should it still do so, it is refused again when its turn comes."""
    batch.delete("over", key)
    ledger.queue_again(batch, link, limit_over(key))


def _take_all_back(ledger: Ledger, state: State, refusal: Refusal) -> None:
    for key, row in state.scan("over"):
        if limit_over(key) is refusal:
            batch = ledger.batch()
            take_back(ledger, batch, key, _decode_link(row))
            ledger.write(batch)
