"""A user's own filters, named to the crawls here by their import path."""

from __future__ import annotations

from weft.types import Link, Refusal


def by_word(link: Link) -> Refusal | bool:
    """Refuse what has a word in its URL, with that reason."""
    reasons: dict[str, Refusal | bool] = {"user": True, "scheme": Refusal.SCHEME, "hosts": Refusal.HOST}
    return next((reason for word, reason in reasons.items() if link.url.endswith(f"/by-{word}")), False)


class AtLast:
    """Asked right before the request."""

    stage = "fetch"

    def refuses(self, link: Link) -> bool:
        """Whether its URL says so."""
        return link.url.endswith("/at-last")
