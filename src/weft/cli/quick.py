"""Plain command lines, read without Typer: that takes a sixth of a second to get ready, as long as all the rest.

What is not plain (help, a mistake, a shell that completes words) is left to Typer, which has the words for it. Errors
end the program as all others do, by `app`.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from weft.cli.process import COMPLETION_REQUEST, have_all_streams, let_import_from_here

if TYPE_CHECKING:
    from weft.settings.setting import Setting


class Plain(NamedTuple):
    """A command line as Typer would hand it on: its arguments, and flags by keyword."""

    arguments: list[str]
    flags: dict[str, Any]


def has_run(words: Sequence[str]) -> bool:
    """Do what a command line asks for, if it is a plain one; False if it is not. Commands end the process."""
    if COMPLETION_REQUEST in os.environ:
        return False
    if list(words) == ["--version"]:
        from weft._version import __version__

        have_all_streams()
        print(f"weft {__version__}")
        return True
    command = _COMMANDS.get(words[0]) if words else None
    if command is None:
        return False
    have_all_streams()
    gc.disable()  # while modules are loaded nothing becomes garbage, but it is looked for
    try:
        exit_code = command(words[1:])
    except (Exception, KeyboardInterrupt) as error:
        from weft.cli.app import end_by

        end_by(error)
    finally:
        gc.enable()
    if exit_code is None:
        return False
    sys.exit(exit_code)


def _get(words: Sequence[str]) -> int | None:
    from weft.settings.one_page import ONE_PAGE_SETTINGS

    plain = read_quickly(words, ONE_PAGE_SETTINGS, ("to", "config"))
    if plain is None or len(plain.arguments) != 1:
        return None
    from weft.cli.get_page import MARKDOWN, print_page

    config, to = _path(plain.flags.pop("config", None)), plain.flags.pop("to", MARKDOWN)
    print_page(plain.arguments[0], to, plain.flags, config)
    return 0


def _crawl(words: Sequence[str]) -> int | None:
    from weft.cli.settings import CRAWL_FLAGS

    plain = read_quickly(words, CRAWL_FLAGS, ("config",))
    if plain is None:
        return None
    from weft.cli.new_crawl import begin_crawl

    let_import_from_here()
    config = _path(plain.flags.pop("config", None))
    return begin_crawl(plain.arguments, plain.flags, config)


def _mirror(words: Sequence[str]) -> int | None:
    from weft.cli.settings import MIRROR_FLAGS

    plain = read_quickly(words, MIRROR_FLAGS, ("config",), ("update",))
    if plain is None:
        return None
    from weft.cli.mirror_run import begin_mirror

    let_import_from_here()
    config, update = _path(plain.flags.pop("config", None)), plain.flags.pop("update", False)
    return begin_mirror(plain.arguments, plain.flags, config, update=update)


_COMMANDS: Final[Mapping[str, Callable[[Sequence[str]], int | None]]] = {
    "get": _get, "crawl": _crawl, "mirror": _mirror,
}  # fmt: skip


def read_quickly(
    words: Sequence[str], settings: Iterable[Setting], others: Iterable[str], switches: Iterable[str] = ()
) -> Plain | None:
    """What the words of a command say; None if they are not plain.

    Flags that are no settings: `others` have a text, `switches` have nothing, and cannot be turned off.
    """
    from weft.settings.setting import Kind

    by_flag = {f"--{setting.name}": setting for setting in settings}
    by_flag |= {setting.short: setting for setting in by_flag.values() if setting.short}
    texts, alone = {f"--{name}" for name in others}, {f"--{name}" for name in switches}
    plain = Plain([], {})
    rest = iter(words)
    for word in rest:
        name, has_value, value = word.partition("=")
        setting = by_flag.get(name) or by_flag.get(name.replace("--no-", "--", 1))
        if not word.startswith("-"):
            plain.arguments.append(word)
        elif word in alone:
            plain.flags[word[2:]] = True
        elif (has_value and not word.startswith("--")) or (setting is not None and setting.alone):
            return None
        elif setting is not None and setting.kind is Kind.SWITCH and not has_value:
            plain.flags[setting.keyword] = name in by_flag
        elif name in texts or (name in by_flag and setting is not None and setting.kind is not Kind.SWITCH):
            if not has_value and (value := next(rest, "-")).startswith("-"):
                return None
            if setting is not None and setting.kind is Kind.LIST:
                plain.flags.setdefault(setting.keyword, []).append(value)
            else:
                plain.flags[name[2:] if setting is None else setting.keyword] = value
        else:
            return None
    return plain


def _path(text: str | None) -> Path | None:
    return None if text is None else Path(text)
