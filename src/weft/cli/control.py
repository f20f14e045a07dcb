"""`weft control`: tell a crawl that runs something."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Final

import typer

from weft.cli.options import a_time
from weft.errors import BadInput
from weft.folder.layout import is_worked_on
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
from weft.live.mailbox import is_waiting, put_command
from weft.live.reader import checked_folder
from weft.stats.verdict import counted

PATIENCE_S: Final = 10.0
LOOK_EVERY_S: Final = 0.05


def control(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a crawl.")],
    action: Annotated[
        str, typer.Argument(metavar="ACTION", help="What it is to do.", autocompletion=lambda: list(ACTIONS))
    ],
    values: Annotated[list[str] | None, typer.Argument(metavar="VALUE", help="What the action asks for.")] = None,
) -> None:
    """Steer a running crawl: pause, rate, block, stop.

    It takes effect at once, holds when the crawl is killed and resumed, and stands in crawl.log.

    The actions: pause, resume; rate N, pages a second in all; delay HOST TIME, between two requests to a host; block
    HOST, unblock HOST; seeds URL..., more places to begin; exclude PATTERN, as --exclude; stop, as Ctrl-C does. A rate
    or a delay is taken back by 'none'.

    A crawl that does not run now does it when it is resumed. Of a cluster's crawl: weft cluster.

    Exit codes: 0 done, or waiting for the crawl; 2 bad input; 5 disk full; 6 the folder cannot be used.
    """
    command = _command(action, values or [])
    folder = checked_folder(folder)
    runs = is_worked_on(folder)
    if isinstance(command, Stop) and not runs:
        raise BadInput(f"the crawl in {folder} does not run now")
    number = put_command(folder, command)
    if not runs:
        print(f"{in_words(command)}, from when the crawl is resumed: it does not run now")
    elif _is_taken(folder, number):
        print(in_words(command))
    else:
        print(f"{in_words(command)}, as soon as the crawl looks: it has not for {PATIENCE_S:.0f} s")


def _is_taken(folder: Path, number: str) -> bool:
    deadline = time.monotonic() + PATIENCE_S
    while is_waiting(folder, number):
        if time.monotonic() > deadline:
            return False
        time.sleep(LOOK_EVERY_S)
    return True


def _command(action: str, values: Sequence[str]) -> Command:
    if action not in ACTIONS:
        raise BadInput(f"there is no action {action!r}; there are {', '.join(ACTIONS)}")
    wanted, make = ACTIONS[action]
    if len(values) != len(wanted) and not (wanted == MANY and values):
        asks = " ".join(wanted) or "nothing more"
        raise BadInput(f"`weft control DIR {action}` asks for {asks}, not for {counted(len(values), 'value')}")
    return make(*values)


def _rate(text: str) -> SetRate:
    if text == "none":
        return SetRate(None)
    try:
        return SetRate(float(text))
    except ValueError:
        raise BadInput(f"a rate is a number of pages a second, or none; not {text!r}") from None


def _delay(host: str, text: str) -> SetDelay:
    return SetDelay(host, None if text == "none" else a_time("delay", at_least=0)(text))


MANY: Final = ("URL...",)
ACTIONS: Final[dict[str, tuple[tuple[str, ...], Callable[..., Command]]]] = {
    "pause": ((), Pause),
    "resume": ((), Resume),
    "rate": (("N",), _rate),
    "delay": (("HOST", "TIME"), _delay),
    "block": (("HOST",), Block),
    "unblock": (("HOST",), Unblock),
    "seeds": (MANY, lambda *urls: AddSeeds(list(urls))),
    "exclude": (("PATTERN",), Exclude),
    "stop": ((), Stop),
}
