"""Limits that were raised since the run before: what the old ones refused is taken up again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weft.pipeline.rows import decode_page
from weft.state import State
from weft.types import Link, Refusal

if TYPE_CHECKING:
    from weft.pipeline.ledger import Ledger

_encode = msgspec.msgpack.Encoder().encode
_decode_limit = msgspec.msgpack.Decoder(int | None).decode
_decode_link = msgspec.msgpack.Decoder(Link).decode


def adopt_depth_limit(ledger: Ledger, state: State, max_depth: int | None) -> None:
    """Remember the depth limit; if it was raised, look again for what the old one refused."""
    stored = state.get("meta", b"depth")
    now = _encode(max_depth)
    if stored == now:
        return
    old = _decode_limit(stored) if stored else None
    if old is not None and (max_depth is None or max_depth > old):
        for url_id, row in state.scan("page"):
            if decode_page(row).depth >= old:
                batch = ledger.batch()
                ledger.relax(batch, url_id)
                ledger.write(batch)
    batch = ledger.batch()
    batch.put("meta", b"depth", now)
    ledger.write(batch)


def adopt_host_budget(ledger: Ledger, state: State, budget: int | None) -> None:
    """Remember the budget of each host; if it was raised, queue what the old one refused."""
    stored = state.get("meta", b"host-budget")
    now = _encode(budget)
    if stored == now:
        return
    for key, row in state.scan("over"):
        batch = ledger.batch()
        batch.delete("over", key)
        ledger.put_back(batch, _decode_link(row))
        ledger.counters.refused[Refusal.HOST_BUDGET] -= 1
        ledger.write(batch)
    batch = ledger.batch()
    batch.put("meta", b"host-budget", now)
    ledger.write(batch)
