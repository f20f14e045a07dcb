"""What an answer's head says against its body: rules by media type and size, `--accept`, `--near`.

It is asked in the engine while an answer comes in: no body need be received that nobody wants. Pure; the engine stops
the body, and writes down by which rule.
"""

from __future__ import annotations

from collections.abc import Sequence

from weft.config import CrawlConfig
from weft.filter.accept import Accepting, leads_on
from weft.filter.by_host import pattern_filter
from weft.filter.condition import Answer
from weft.filter.patterns import Patterns
from weft.filter.requisites import is_requisite
from weft.media.types import media_type
from weft.types import Fetched, Kind, Link
from weft.url import host_of

NEAR = "a page beyond the scope: --near takes files only"
Headers = Sequence[tuple[bytes, bytes]]


class AnswerRules:
    """The rules of one crawl. Seeds are wanted whatever they are: they were asked for by name."""

    def __init__(self, config: CrawlConfig, patterns: Patterns | None) -> None:
        self._patterns = patterns
        self._spares_requisites = spares_requisites(config)
        self._accepting = Accepting(config.accept) if config.accept else None
        self._is_near = config.near
        self._other_depth = config.other_depth

    def refused_by(self, link: Link, status: int, answer: Answer) -> str | None:
        """The rule by which an answer is not wanted; None if it is, or that is still open."""
        if link.kind is Kind.SEED or not 200 <= status < 300:
            return None
        if self._patterns is not None and not (self._spares_requisites and is_requisite(link)):
            rule = self._patterns.refuses_answer(link.url, host_of(link.url), answer)
            if rule is not None:
                return rule
        if self._accepting is not None:
            rule = self._accepting.refuses_answer(link.url, answer._replace(status=status))
            if rule is not None:
                return rule
        is_near = self._is_near and link.beyond > self._other_depth and not is_requisite(link)
        return NEAR if is_near and leads_on(answer.media_type) else None

    def refused_whole(self, link: Link, fetched: Fetched) -> str | None:
        """As `refused_by`, of an answer that has come, or was stopped."""
        size_bytes = fetched.body_bytes if fetched.truncated is None else length_told(fetched.headers)
        return self.refused_by(link, fetched.status, Answer(fetched.media_type, size_bytes, fetched.body_bytes))


def answer_rules(config: CrawlConfig) -> AnswerRules | None:
    """What looks at answers; None where no rule is about them."""
    patterns = pattern_filter(config)
    needs_answer = patterns is not None and patterns.needs_answer
    has_rules = config.accept or config.near or needs_answer
    return AnswerRules(config, patterns if needs_answer else None) if has_rules else None


def file_rules(config: CrawlConfig) -> AnswerRules | None:
    """The same for what has come before, perhaps by other rules."""
    patterns = pattern_filter(config)
    return AnswerRules(config, patterns) if config.accept or config.near or patterns is not None else None


def spares_requisites(config: CrawlConfig) -> bool:
    """Whether --include and --exclude say nothing of what pages need to look right; a --rule is about everything."""
    return config.requisites_anywhere and not config.rules


def answer_of(headers: Headers, received_bytes: int) -> Answer:
    """What a head tells."""
    told = b", ".join(value for name, value in headers if name == b"content-type")
    return Answer(media_type(told.decode("latin-1")), length_told(headers), received_bytes)


def length_told(headers: Headers) -> int | None:
    """The length of the body, if the head tells it."""
    told = next((value for name, value in headers if name == b"content-length"), b"")
    return int(told) if told.isdigit() and len(told) < 19 else None
