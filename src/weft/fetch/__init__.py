"""Fetching: ask the server for one URL, and keep its answer byte for byte.

    fetch ──▶ pool ──an idle connection──▶ connection ──bytes──▶ exchange ──▶ Fetched
      │         └──none: connect ────────▶     │                    ├─ http1   where head and body end
      │                   ├─ route  straight (dial), or by a proxy  │   ├─ head    status line and headers
      │                   └─ tls                                    │   └─ chunks  chunk framing
      ├─ request ◀─ cookies, conditional                            └─ body    memory, or a spool file
      └─ ftp      files and folders by FTP, on the same connections
                                               the fetcher's sweep ends what is late

What arrives is neither decoded nor de-chunked here, because the archive wants the bytes of the wire. Whoever
reads a body calls `decode_body` or `decode_file`, which undo chunking and compression within a limit.

**Who owns the bytes.** A body takes its bytes from the `MemoryBudget` while it grows and gives them back when
it moves to a spool file or fails. From the moment `fetch` returns a `Fetched`, or raises a `FetchError` with
a `partial`, they belong to the caller, who calls `release` once nobody needs them any more.

`after` says what follows a failed try.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.lazy_names import lazy_names

if TYPE_CHECKING:
    from weft.fetch.body import MemoryBudget, release
    from weft.fetch.chunks import dechunk
    from weft.fetch.codings import Flaw
    from weft.fetch.conditional import Validators, validators_of
    from weft.fetch.config import FetchConfig
    from weft.fetch.decode import Decoded, Effort, decode_body, decode_file, decode_response
    from weft.fetch.fetcher import Fetcher
    from weft.fetch.replayed import replay, replay_file
    from weft.fetch.retry import Retry, after
    from weft.fetch.retry_after import retry_after_s

__all__ = [
    "Decoded",
    "Effort",
    "FetchConfig",
    "Fetcher",
    "Flaw",
    "MemoryBudget",
    "Retry",
    "Validators",
    "after",
    "dechunk",
    "decode_body",
    "decode_file",
    "decode_response",
    "release",
    "replay",
    "replay_file",
    "retry_after_s",
    "validators_of",
]

# Loaded when first used: the workers decode bodies, and fetch nothing.
__getattr__ = lazy_names(
    __name__,
    {
        "Decoded": "weft.fetch.decode",
        "Effort": "weft.fetch.decode",
        "FetchConfig": "weft.fetch.config",
        "Fetcher": "weft.fetch.fetcher",
        "Flaw": "weft.fetch.codings",
        "MemoryBudget": "weft.fetch.body",
        "Retry": "weft.fetch.retry",
        "Validators": "weft.fetch.conditional",
        "after": "weft.fetch.retry",
        "dechunk": "weft.fetch.chunks",
        "decode_body": "weft.fetch.decode",
        "decode_file": "weft.fetch.decode",
        "decode_response": "weft.fetch.decode",
        "release": "weft.fetch.body",
        "replay": "weft.fetch.replayed",
        "replay_file": "weft.fetch.replayed",
        "retry_after_s": "weft.fetch.retry_after",
        "validators_of": "weft.fetch.conditional",
    },
)
