"""`weft get` in plain words, read without Typer: that takes a sixth of a second to get ready, as long as all the rest.

What is not plain (help, a mistake, a shell that completes words) is left to Typer, which has the words for it. Errors
end the program as all others do, by `app`.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from weft.cli.streams import COMPLETION_REQUEST, have_all_streams

if TYPE_CHECKING:
    from weft.settings.setting import Setting


def has_run(words: Sequence[str]) -> bool:
    """Do what a command line asks for, if it is a plain one of `weft get`; whether it was."""
    if words[:1] != ["get"] or COMPLETION_REQUEST in os.environ:
        return False
    have_all_streams()
    gc.disable()  # while modules are loaded nothing becomes garbage, but it is looked for
    try:
        from weft.settings.one_page import ONE_PAGE_SETTINGS

        read = read_quickly(words[1:], ONE_PAGE_SETTINGS, ("to", "config"))
        if read is None:
            return False
        from weft.cli.get_page import MARKDOWN, print_page

        file = read.pop("config", None)
        url, to = read.pop("argument"), read.pop("to", MARKDOWN)
        print_page(url, to, read, None if file is None else Path(file))
    except (Exception, KeyboardInterrupt) as error:
        from weft.cli.app import end_by

        end_by(error)
    finally:
        gc.enable()
    sys.exit()


def read_quickly(words: Sequence[str], settings: Iterable[Setting], others: Iterable[str]) -> dict[str, Any] | None:
    """One argument, as `argument`, and flags by keyword, as Typer would hand them on; None if they are not plain.

    `others` are flags that take a text and are no settings.
    """
    from weft.settings.setting import Kind

    by_flag = {f"--{setting.name}": setting for setting in settings}
    texts = {f"--{name}" for name in others}
    read: dict[str, Any] = {}
    rest = iter(words)
    for word in rest:
        name, has_value, value = word.partition("=")
        setting = by_flag.get(name) or by_flag.get(name.replace("--no-", "--", 1))
        if not word.startswith("-") and "argument" not in read:
            read["argument"] = word
        elif setting is not None and setting.kind is Kind.SWITCH and not has_value:
            read[setting.keyword] = name in by_flag
        elif name in texts or (name in by_flag and setting is not None and setting.kind is not Kind.SWITCH):
            if not has_value and (value := next(rest, "-")).startswith("-"):
                return None
            if setting is not None and setting.kind is Kind.LIST:
                read.setdefault(setting.keyword, []).append(value)
            else:
                read[name[2:] if setting is None else setting.keyword] = value
        else:
            return None
    return read if "argument" in read else None
