"""When a crawl of several engines is over: nobody has anything to do, and nothing is on its way. Pure.

Once all engines say that they are idle, they are asked, two rounds one after the other, whether they are still, and how
many rows they have sent and received. If all are idle in both rounds, as many rows were received as were sent, and no
count has changed from the first round to the second, then nobody can have become busy in between (Mattern's four
counters). An answer may be older than a row that is on its way to whoever gave it; the second round would show it.
"""

from __future__ import annotations

from weft.engines.messages import Answer

_Counts = tuple[tuple[int, int], ...]  # sent and received, by engine


class Rounds:
    """The asking side."""

    def __init__(self, engines: int) -> None:
        self._engines = engines
        self._round = 0
        self._answers: dict[int, Answer] | None = None  # of the round that is under way
        self._before: _Counts | None = None  # of the last round, if all were idle and nothing was on its way

    def begin(self) -> int | None:
        """All say that they are idle: the round to be asked for; None if one is under way."""
        if self._answers is not None:
            return None
        self._round += 1
        self._answers = {}
        return self._round

    def busy(self) -> None:
        """Somebody has something to do: what was heard is worth nothing any more."""
        self._before = None

    def hear(self, engine: int, answer: Answer) -> bool:
        """An engine answers. True: the crawl is over."""
        if self._answers is None or answer.round != self._round:
            return False
        self._answers[engine] = answer
        if len(self._answers) < self._engines:
            return False
        answers, self._answers = [self._answers[one] for one in range(self._engines)], None
        counts = tuple((one.sent, one.received) for one in answers)
        sent, received = (sum(of_all) for of_all in zip(*counts, strict=True))
        if sent != received or not all(one.is_idle for one in answers):
            self._before = None
            return False
        is_over = counts == self._before
        self._before = counts
        return is_over
