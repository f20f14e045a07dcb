"""How many fetch slots are worth having: a climb that stops where more of them bring nothing.

What waits for a slot is without end in a large crawl, so its growth says nothing. What more slots bring does: while the
network has room, twice the slots bring twice the pages; at the knee they only make each answer take longer. Nobody
tells where the knee is, so other numbers are tried, one at a time, and each is judged by the pages that it brought:

    climb     twice as many; after a step in latency as many as bring what came before (the paper's (2): n · v = c)
    probe     a fifth more, rarely, and less and less often while it brings nothing
    descend   fewer, after a change that more did not mend: perhaps fewer do as well
    retreat   fewer, since errors have risen; taken back if the errors stay, for then they have another cause

Slots that are not used (nothing is ready, or parsing is behind) end all that: none are added, and what was too much for
a while is given back.
"""

from __future__ import annotations

from collections import deque
from enum import Enum
from math import ceil

import msgspec

SPARE_SHARE = 0.1  # with this share unused, more of them bring nothing
HEADROOM = 1.25  # what is kept of unused slots: N times those in use
STEP_RATIO = 1.35  # a latency that differs so much, twice in a row, is another one: noise of 15 % does not
FULL_PAY, PROBE_PAY, SOME_PAY = 0.75, 0.7, 0.35  # of the pages that slots would bring if the network had room
WORST_ERROR_SHARE = 0.1  # up to here nothing is wrong
FEWEST_ERRORS = 5
LARGEST_JUMP = 8.0
FEW_SLOTS = 40  # unused, they cost next to nothing: not worth giving back, unless none is in use
LITTLE_LOSS = 0.18  # of the pages, by fewer slots
SMOOTHING = 0.2
# Periods, at first and at most:
PROBE_AFTER, PROBE_AFTER_MOST = 8, 256
PATIENCE, PATIENCE_MOST = 4, 64  # unused for so long, and slots are given back
FULL_AFTER, FULL_AFTER_MOST = 2, 64  # in use again for so long, and more are tried


class Aim(Enum):
    """What a trial is for."""

    CLIMB = "climb"
    PROBE = "probe"
    DESCEND = "descend"
    RETREAT = "retreat"


FACTOR = {Aim.CLIMB: 2.0, Aim.PROBE: 1.2, Aim.DESCEND: 0.5, Aim.RETREAT: 0.7}
# The smaller the step, the longer it is looked at: noise must not decide.
PERIODS = {Aim.CLIMB: 1, Aim.PROBE: 4, Aim.DESCEND: 1, Aim.RETREAT: 2}


class SlotPeriod(msgspec.Struct, frozen=True, kw_only=True):
    """What the slots did in a period."""

    seconds: float
    slots: int
    least: int
    most: int
    busy_s: float  # of all slots together
    is_blocked: bool = False  # slots were free, but what they fetch could not be taken, and that will not change
    has_new_room: bool = False  # more can be taken than before
    answered: int
    failed: int  # time-outs and resets
    held: str = ""  # why more slots must not be tried now

    @property
    def per_s(self) -> float:
        """Visits answered."""
        return self.answered / self.seconds

    @property
    def busy(self) -> float:
        """Slots in use, on average."""
        return self.busy_s / self.seconds

    @property
    def latency_s(self) -> float:
        """Of a visit, by Little's law; with nothing done, at least what has been waited."""
        return self.busy_s / max(1, self.answered + self.failed)

    @property
    def error_share(self) -> float:
        """Of the visits that ended."""
        return self.failed / max(1, self.answered + self.failed)

    @property
    def periods_in_flight(self) -> int:
        """For how long visits come in that began under another number of slots."""
        return min(max(3, ceil(1 / self.seconds)), max(0, ceil(self.latency_s / self.seconds - 0.25)))

    def has_more_errors(self, error_share: float) -> bool:
        """Than is usual."""
        return self.failed >= FEWEST_ERRORS and self.error_share > max(WORST_ERROR_SHARE, 2 * error_share)


class Trial:
    """Another number of slots, until it can be told what it brings."""

    def __init__(self, aim: Aim, before: SlotPeriod, per_s: float, slots: int, goal_per_s: float) -> None:
        self.aim = aim
        self.before = before
        self.per_s_before = per_s
        self.slots = slots
        self.goal_per_s = goal_per_s
        self.is_hasty = False  # believes the first good sign: at the start, too few slots cost more than too many
        self.is_answer = False  # to a change: if more bring nothing, fewer may do
        self.was_held = False  # what it might bring could not be taken, at least for a while
        self._periods_to_skip = before.periods_in_flight
        self._periods = max(PERIODS[aim], min(2, 1 + before.periods_in_flight))  # what begins together ends together
        self._seen: list[SlotPeriod] = []

    def see(self, period: SlotPeriod) -> SlotPeriod | None:
        """All that was seen as one period, once it is enough."""
        self.was_held = self.was_held or period.is_blocked or bool(period.held)
        if self.is_hasty and self.gain(period) >= SOME_PAY * (self.slots / self.before.slots - 1):
            return period
        self.is_hasty = False
        if self._periods_to_skip:
            self._periods_to_skip -= 1
            return None
        self._seen.append(period)
        if len(self._seen) < self._periods:
            return None
        return msgspec.structs.replace(
            period,
            seconds=sum(seen.seconds for seen in self._seen),
            busy_s=sum(seen.busy_s for seen in self._seen),
            answered=sum(seen.answered for seen in self._seen),
            failed=sum(seen.failed for seen in self._seen),
        )

    def gain(self, seen: SlotPeriod) -> float:
        """0.5: half as many pages more than before."""
        return seen.per_s / self.per_s_before - 1 if self.per_s_before else LARGEST_JUMP * bool(seen.answered)

    def paid(self, seen: SlotPeriod) -> int:
        """The slots that brought something."""
        gain = self.gain(seen)
        before = self.before.slots
        return min(self.slots, ceil(before * (1 + gain) * 1.05)) if gain > 0.1 else before


class SlotClimb:
    """The number of fetch slots, from period to period."""

    def __init__(self) -> None:
        self._trial: Trial | None = None
        self._per_s = self._latency_s = self._error_share = 0.0  # as usual with the present slots: smoothed
        self._periods_in_flight = self._settled_slots = 0
        self._periods_to_learn = 1  # until what is seen can be taken for usual
        self._odd_periods = self._error_periods = self._full_periods = 0  # in a row
        self._periods_unblocked = PATIENCE_MOST
        self._is_starting = self._was_spare = True
        self._has_shrunk = False
        self._lately: deque[SlotPeriod] = deque(maxlen=PATIENCE_MOST)  # periods with unused slots
        self._patience = PATIENCE
        self._full_after = 1
        self._paid_probes = 0  # in a row: one may be chance
        self._probe_after = self._periods_to_probe = PROBE_AFTER

    def step(self, now: SlotPeriod) -> tuple[int, str]:
        """The slots for the next period, and why."""
        if self._trial is not None and now.is_blocked and now.busy < 0.67 * now.slots:
            trial, self._trial = self._trial, None
            if trial.aim is Aim.PROBE:
                return self._rest(trial.before.slots, now, "what more would bring cannot be taken")
        if now.has_new_room:
            self._is_starting = self._was_spare = True
            self._full_after = 1
        slots, reason = self._hold(now) if self._trial is None else self._go_on(self._trial, now)
        return max(now.least, min(slots, now.most)), reason

    # ── between trials ─────────────────────────────────────────────────────────────────────────────────

    def _hold(self, now: SlotPeriod) -> tuple[int, str]:
        is_slower, is_other = self._compare_latency(now)
        goal_per_s, in_flight = self._per_s, self._periods_in_flight
        self._periods_unblocked = 0 if now.is_blocked else self._periods_unblocked + 1
        # Blocked slots begin together when they may, and end together: for some time it is all or nothing.
        is_swaying = self._periods_unblocked <= 3 * in_flight
        if is_other and not is_swaying:  # else it is answered afterwards, if it lasts
            self._settle(now)
        if self._errors_have_risen(now):
            return self._begin(Aim.RETREAT, now, now.per_s)
        if is_swaying or now.busy < (1 - SPARE_SHARE) * now.slots:
            return self._give_back(now)
        self._full_periods += 1
        self._lately.clear()
        if now.held or (now.slots >= now.most and not is_other):
            return now.slots, f"hold: {now.held or 'as many as are allowed'}"
        # At the start a climb has no goal: what came while workers and hosts were few is not what could come.
        if (is_other or (self._was_spare and is_slower)) and not self._is_starting:
            self._was_spare = self._has_shrunk = False
            return self._answer(now, goal_per_s if is_slower else 0.0)
        if self._was_spare and self._full_periods >= self._full_after:
            return self._climb_again(now)
        self._periods_to_probe -= 1
        if self._periods_to_probe <= 0 and not self._was_spare:
            return self._begin(Aim.PROBE, now, self._per_s)
        return now.slots, f"hold: {now.per_s:.0f} pages/s"

    def _compare_latency(self, now: SlotPeriod) -> tuple[bool, bool]:
        """Whether visits take longer than usual, and whether it has lasted: then that is usual from now on."""
        if not now.busy_s:
            return False, False
        if self._periods_to_learn or not self._latency_s:  # 0: a trial has ended while nothing was under way
            self._periods_to_learn = max(0, self._periods_to_learn - 1)
            self._settle(now)
        ratio = now.latency_s / self._latency_s
        is_odd = not 1 / STEP_RATIO < ratio < STEP_RATIO
        if not is_odd:
            self._latency_s += SMOOTHING * (now.latency_s - self._latency_s)
            self._per_s += SMOOTHING * (now.per_s - self._per_s)
        self._odd_periods = self._odd_periods + 1 if is_odd else 0
        return ratio >= STEP_RATIO, self._odd_periods >= 2 + self._periods_in_flight

    def _errors_have_risen(self, now: SlotPeriod) -> bool:
        is_worse = now.has_more_errors(self._error_share)
        self._error_periods = self._error_periods + 1 if is_worse else 0
        if not is_worse:
            self._error_share += SMOOTHING * (now.error_share - self._error_share)
        return self._error_periods >= 2 and now.slots > now.least

    def _give_back(self, now: SlotPeriod) -> tuple[int, str]:
        """Some are not used: keep what is used at most, or on average if it comes and goes with what can be taken."""
        self._was_spare = True
        self._full_periods = 0
        self._lately.append(now)
        if now.is_blocked and len(self._lately) >= PATIENCE:
            self._is_starting = False
        reason = f"{now.busy:.0f} of {now.slots} in use"
        in_flight = max(period.periods_in_flight for period in list(self._lately)[-2:])
        # Many that are too many are given back soon, few of them only if that lasts.
        soon = 2 + 2 * in_flight if now.is_blocked else PATIENCE
        for patience, share in ((soon, 0.55), (self._patience + 2 * in_flight, 0.65)):
            lately = list(self._lately)[-patience:]
            busy = [period.busy for period in lately]
            enough = ceil(1.1 * sum(busy) / len(busy) if now.is_blocked else HEADROOM * max(busy))
            if not now.is_blocked and max(busy) >= 1:
                enough = max(enough, FEW_SLOTS)
            is_worth_it = now.slots > FEW_SLOTS or max(busy) < 1
            if len(lately) == patience and enough < share * now.slots and is_worth_it:
                self._lately.clear()
                self._has_shrunk = True
                if now.is_blocked:  # what was merely unused says nothing about what the network would bear
                    self._is_starting = False
                else:
                    self._is_starting, self._full_after = True, 1
                return enough, f"shrink: {reason}"
        return now.slots, f"hold: {reason}"

    def _climb_again(self, now: SlotPeriod) -> tuple[int, str]:
        """Slots were unused, and are all in use now. If this comes to nothing, the next time it takes longer."""
        if self._has_shrunk:
            self._patience = min(PATIENCE_MOST, self._patience * 2)
        self._full_after = min(FULL_AFTER_MOST, self._full_after * 2)
        self._was_spare = self._has_shrunk = False
        self._settle(now)
        return self._begin(Aim.CLIMB if self._is_starting else Aim.PROBE, now, now.per_s)

    # ── trials ─────────────────────────────────────────────────────────────────────────────────────────

    def _begin(self, aim: Aim, now: SlotPeriod, per_s: float, goal_per_s: float = 0.0) -> tuple[int, str]:
        """Try another number; with a goal, the one that would reach it."""
        factor = FACTOR[aim]
        if aim is Aim.RETREAT:
            factor = max(1 / LARGEST_JUMP, min(factor, 1 - now.error_share))  # as many as get an answer
        if goal_per_s:
            factor = max(FACTOR[Aim.PROBE], min(1.1 * goal_per_s / per_s if per_s else LARGEST_JUMP, LARGEST_JUMP))
        slots = max(now.least, min(int(now.slots * factor), now.most))
        if slots == now.slots:
            return self._rest(now.slots, now, "as many as are allowed" if factor > 1 else "as few as are allowed")
        self._trial = Trial(aim, now, per_s, slots, goal_per_s)
        self._trial.is_hasty = self._is_starting and aim is Aim.CLIMB
        return slots, f"{aim.value}: {now.per_s:.0f} pages/s with {now.slots}"

    def _answer(self, now: SlotPeriod, goal_per_s: float) -> tuple[int, str]:
        """Visits take longer or less long than they did: try more, and if these bring nothing, fewer."""
        self._settled_slots = 0  # what is seen so far is neither the one nor the other
        if now.slots >= now.most:
            return self._begin(Aim.DESCEND, now, now.per_s)
        decision = self._begin(Aim.CLIMB, now, now.per_s, goal_per_s)
        if self._trial is not None:
            self._trial.is_answer = True
        return decision

    def _go_on(self, trial: Trial, now: SlotPeriod) -> tuple[int, str]:
        seen = trial.see(now)
        if seen is None:
            return now.slots, f"{trial.aim.value}: waiting for what it brings"
        self._trial = None
        if trial.aim is Aim.RETREAT:
            return self._after_retreat(trial, seen)
        if trial.aim is Aim.DESCEND:
            return self._after_descent(trial, seen)
        return self._after_growth(trial, seen)

    def _after_growth(self, trial: Trial, seen: SlotPeriod) -> tuple[int, str]:
        before, gain, asked = trial.before, trial.gain(seen), trial.slots / trial.before.slots - 1
        if seen.has_more_errors(before.error_share):
            return self._rest(before.slots, seen, f"more slots brought errors, {seen.error_share:.0%} of visits")
        what = f"{asked:+.0%} slots brought {gain:+.0%} pages"
        if trial.aim is Aim.PROBE and gain < PROBE_PAY * asked:
            self._probe_after = min(PROBE_AFTER_MOST, self._probe_after * 2)
            return self._rest(before.slots, seen, what)
        if gain >= SOME_PAY * asked:
            self._probe_after, self._full_after = PROBE_AFTER, FULL_AFTER
            self._paid_probes += trial.aim is Aim.PROBE
            is_whole = gain >= FULL_PAY * asked or trial.goal_per_s or trial.is_hasty
            slots = seen.slots if is_whole else trial.paid(seen)
            has_arrived = seen.per_s >= 0.9 * trial.goal_per_s > 0 and not self._is_starting
            if seen.held or slots >= seen.most or has_arrived:
                return self._rest(slots, seen, seen.held or what)
            aim = Aim.PROBE if trial.aim is Aim.PROBE and self._paid_probes < 2 else Aim.CLIMB
            return self._begin(aim, msgspec.structs.replace(seen, slots=slots), seen.per_s, trial.goal_per_s)
        if self._is_starting and trial.was_held:
            # That says nothing about the network: once all slots are in use again, and nothing holds them, they grow.
            self._was_spare = True
            return self._rest(trial.paid(seen), seen, f"{what}, which could not all be taken")
        self._is_starting = False
        if trial.is_answer:
            return self._begin(Aim.DESCEND, before, max(seen.per_s, trial.per_s_before))
        return self._rest(trial.paid(seen), seen, what)

    def _after_descent(self, trial: Trial, seen: SlotPeriod) -> tuple[int, str]:
        loss = -trial.gain(seen)
        if loss < LITTLE_LOSS:
            return self._begin(Aim.DESCEND, seen, trial.per_s_before)
        enough = ceil(trial.per_s_before * seen.latency_s * 1.05)  # Little's law, without the queue
        slots = max(seen.slots, min(2 * trial.before.slots, enough))
        return self._rest(slots, seen, f"fewer slots cost {loss:.0%} of the pages")

    def _after_retreat(self, trial: Trial, seen: SlotPeriod) -> tuple[int, str]:
        self._error_periods = 0
        loss, asked = -trial.gain(seen), 1 - trial.slots / trial.before.slots
        if seen.error_share < trial.before.error_share / 2 or loss < asked / 2:
            if seen.error_share > WORST_ERROR_SHARE and seen.slots > seen.least:
                return self._begin(Aim.RETREAT, seen, max(seen.per_s, trial.per_s_before))
            return self._rest(seen.slots, seen, f"errors fell to {seen.error_share:.0%}")
        self._error_share = seen.error_share
        return self._rest(trial.before.slots, seen, "errors have another cause than the slots")

    def _rest(self, slots: int, seen: SlotPeriod, why: str) -> tuple[int, str]:
        """A trial is over: keep to what it showed."""
        if slots == seen.slots:
            self._settle(seen)
        elif slots != self._settled_slots:
            self._periods_to_learn = 1 + seen.periods_in_flight
        self._periods_to_probe = self._probe_after
        self._paid_probes = 0
        return slots, f"hold: {why}"

    def _settle(self, period: SlotPeriod) -> None:
        """What is seen now is usual with these slots."""
        self._per_s, self._latency_s = period.per_s, period.latency_s
        self._periods_in_flight = period.periods_in_flight
        self._settled_slots = period.slots
        self._odd_periods = 0
