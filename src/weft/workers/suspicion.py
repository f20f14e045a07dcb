"""Whose fault a worker's death is.

A worker counts the tasks that it has done (`tasks_done`), so the one that it was at is the suspect, and the others are
bystanders: they are simply given out again. One death, or two, may have other causes: an operator's kill, the machine's
out-of-memory killer. So a suspect is tried again alone, and blamed when DEATHS_TO_BLAME workers have died with it.
"""

from __future__ import annotations

from typing import Generic, NamedTuple

from weft.workers.worker_process import EXIT_RETIRED, TaskT, Worker

DEATHS_TO_BLAME = 3
HANG_COUNTS_AS_DEATHS = 2  # it takes long enough to see, and nobody else is likely to be the cause


class Death(NamedTuple, Generic[TaskT]):
    """A worker died with tasks in its hands."""

    suspect: TaskT
    bystanders: list[TaskT]
    is_to_blame: bool  # the suspect is
    was_hung: bool
    how: str
    exit_code: int = 0

    @property
    def is_retirement(self) -> bool:
        """Whether it ended of itself between two tasks: then nobody is to blame, and the suspect is a bystander."""
        return self.exit_code == EXIT_RETIRED


def death_of(worker: Worker[TaskT], how: str) -> Death[TaskT]:
    """What follows from its death."""
    bystanders = list(worker.pending)
    suspect = bystanders.pop(worker.at)
    if worker.exit_code == EXIT_RETIRED:
        return Death(suspect, bystanders, False, False, how, EXIT_RETIRED)
    suspect.deaths += HANG_COUNTS_AS_DEATHS if worker.was_hung else 1
    return Death(suspect, bystanders, suspect.deaths >= DEATHS_TO_BLAME, worker.was_hung, how, worker.exit_code)
