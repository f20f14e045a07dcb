"""What a person told a crawl is carried out, once each, whatever is killed when.

A command's file goes last. One that is still there when the crawl goes on is carried out again, which changes nothing,
and logged if it was not.
"""

from __future__ import annotations

import logging
from typing import Final, assert_never

from weft.clock import utc_text
from weft.crash_points import crash_point
from weft.errors import BadInput
from weft.live.commands import (
    AddSeeds,
    Block,
    Command,
    Exclude,
    Pause,
    Resume,
    SetDelay,
    SetRate,
    Stop,
    Unblock,
    in_words,
)
from weft.live.mailbox import Letter, waiting_commands
from weft.live.status import Done
from weft.pipeline.crawl import Crawl
from weft.pipeline.steering import Steering

log: Final = logging.getLogger("weft.live")


class Obeying:
    """Takes the commands of one run."""

    def __init__(self, crawl: Crawl) -> None:
        self._crawl = crawl
        self._from_before = {letter.id for letter in waiting_commands(crawl.folder.path)}
        self._begun = set(self._from_before)  # nobody knows how far they came; bound: commands that wait

    def carry_out(self) -> list[Done]:
        """What was said since the last call, in that order."""
        if (steering := self._crawl.steering) is None:
            return []
        done = (self._obey(steering, letter) for letter in waiting_commands(self._crawl.folder.path))
        return [one for one in done if one is not None]

    def _obey(self, steering: Steering, letter: Letter) -> Done | None:
        command, done = letter.command, None
        if command is None:
            log.warning("a command that cannot be read was left out: %s", letter.path.name)
        elif not (isinstance(command, Stop) and letter.id in self._from_before):  # that was meant for the run before
            try:
                done = self._carry_out(steering, letter.id, command)
            except BadInput as error:  # it never can be done, and others wait behind it
                log.warning("a command that cannot be carried out was left out: %s", error)
        letter.path.unlink(missing_ok=True)
        self._begun.discard(letter.id)
        return done

    def _carry_out(self, steering: Steering, number: str, command: Command) -> Done | None:
        is_begun = number in self._begun
        self._begun.add(number)
        self._apply(steering, command)
        crash_point("command-applied")
        words = in_words(command)
        at = steering.note(number, words, unless_noted=is_begun)
        crash_point("command-logged")
        if at is None:
            return None
        log.info("by command: %s", words)
        return Done(utc_text(at), words)

    def _apply(self, steering: Steering, command: Command) -> None:
        match command:
            case Pause():
                steering.pause(paused=True)
            case Resume():
                steering.pause(paused=False)
            case SetRate(pages_per_s):
                steering.set_rate(pages_per_s)
            case SetDelay(host, seconds):
                steering.set_delay(host, seconds)
            case Block(host):
                steering.block(host)
            case Unblock(host):
                steering.unblock(host)
            case AddSeeds(urls):
                steering.add_seeds(urls)
            case Exclude(pattern):
                steering.exclude(pattern)
            case Stop():
                self._crawl.stop()
            case _:
                assert_never(command)
