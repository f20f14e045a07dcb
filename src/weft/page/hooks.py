"""What hooks are given and what they return: `weft.HookRequest` and `weft.Retry`.

    def before_request(request: weft.HookRequest) -> None:
        request.headers["X-Token"] = token_for(request.url)

    def after_response(page: weft.Page) -> weft.Retry | None:
        return weft.Retry(after=60, reason="captcha") if "captcha" in page.html else None

They run in the engine's process (`pipeline.hooks`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, MutableMapping
from math import isfinite
from typing import Final

import msgspec

from weft.errors import BadInput
from weft.page.request import Request
from weft.types import Kind

MAX_REASON_CHARS: Final = 100

Pairs = tuple[tuple[str, str], ...]


class HookHeaders(MutableMapping[str, str]):
    """The headers of a request, as they will be sent; a name may be written in any case."""

    __slots__ = ("_before", "_now", "_url")

    def __init__(self, url: str, pairs: Iterable[tuple[str, str]] = ()) -> None:
        self._url = url
        self._before = {name.lower(): (name, value) for name, value in pairs}
        self._now = dict(self._before)

    def __getitem__(self, name: str) -> str:
        return self._now[name.lower()][1]

    def __setitem__(self, name: str, value: str) -> None:
        ((name, value),) = checked_headers(self._url, {name: value})
        self._now[name.lower()] = (name, value)

    def __delitem__(self, name: str) -> None:
        del self._now[name.lower()]

    def __iter__(self) -> Iterator[str]:
        return (name for name, _ in self._now.values())

    def __len__(self) -> int:
        return len(self._now)

    def __repr__(self) -> str:
        return f"HookHeaders({dict(self)!r})"

    def changes(self) -> Pairs:
        """What is to be sent in another way than before; an empty value takes a header away."""
        changed = {key: pair for key, pair in self._now.items() if self._before.get(key) != pair}
        gone = ((name, "") for key, (name, _) in self._before.items() if key not in self._now)
        checked_headers(self._url, dict(changed.values()))  # all of them together are not too long
        return (*changed.values(), *gone)


class HookRequest(msgspec.Struct, frozen=True):
    """A request that is about to be sent. Its headers may be changed; what it asks for may not."""

    url: str
    method: str
    headers: HookHeaders
    attempt: int = 1  # 2, if it is tried for the second time
    depth: int = 0  # how many links it is away from a seed
    via: str = ""  # the page on which its URL was found
    kind: Kind = Kind.LINK  # how it was found


class Retry:
    """What `after_response` returns if an answer is no use: throw it away, and ask for its URL again.

    `after` is how many seconds later, at most an hour; without it weft waits as after a failure. `headers` are sent
    with the next tries. `reason` goes to the crawl's log. A URL is tried four times in all; the last answer is kept.
    """

    __slots__ = ("after", "headers", "reason")

    def __init__(
        self, after: float | None = None, *, headers: Mapping[str, str] | None = None, reason: str = ""
    ) -> None:
        if after is not None and (type(after) not in (int, float) or not isfinite(after) or after < 0):
            raise BadInput(f"a retry is made after a number of seconds, not {after!r}")
        if not isinstance(reason, str):
            raise BadInput(f"the reason of a retry is a text, not {type(reason).__name__}")
        self.after: Final = float(after) if after is not None else None
        self.headers: Final = checked_headers("", headers or {})
        words = " ".join(str.__str__(reason).split())[:MAX_REASON_CHARS]
        self.reason: Final = words.encode(errors="replace").decode()  # crawl.log is UTF-8

    def __repr__(self) -> str:
        return f"Retry(after={self.after!r}, reason={self.reason!r})"


def checked_headers(url: str, headers: Mapping[str, str]) -> Pairs:
    """As a request may have them; BadInput for those that are weft's to send, and for what is no header."""
    pairs = Request(url, headers=headers).headers
    return tuple((str.__str__(name), str.__str__(value)) for name, value in pairs)  # no subclass that lies later
