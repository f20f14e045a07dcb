"""Flags made from the table of settings, and help in which they stand by subject."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Annotated, Any, TypeVar

import typer
from typer.core import TyperCommand

from weft.cli.settings import SETTINGS
from weft.listening import is_place
from weft.settings.setting import Kind, Setting
from weft.settings.units import written
from weft.settings.values import read_text

OTHERS = "Options"  # those without a subject; they come last

ALONE = {f"--{setting.name}": setting.alone for setting in SETTINGS if setting.alone}

_Function = TypeVar("_Function", bound=Callable[..., None])


def takes(
    settings: Iterable[Setting], *, shows_defaults: bool = True, has_no: bool = True
) -> Callable[[_Function], _Function]:
    """Give a command, in the place of its `**flags`, a flag for each setting.

    A flag arrives as it was typed; `sources` reads it, as it reads the file and the environment. With `has_no` each
    switch can be turned off, too, which makes sense where a file may have turned it on.
    """
    flags = [_parameter(setting, shows_defaults, has_no) for setting in settings]

    def add_flags(function: _Function) -> _Function:
        signature = inspect.signature(function, eval_str=True)
        own = [one for one in signature.parameters.values() if one.kind is not inspect.Parameter.VAR_KEYWORD]
        keyword_only = [one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in own]
        function.__signature__ = signature.replace(parameters=[*keyword_only, *flags])  # type: ignore[attr-defined]
        return function

    return add_flags


def whole_number(flag: str, *, at_least: int) -> Callable[[str], int]:
    """What reads a flag that is no setting, and refuses it in the same words as if it were one."""
    setting = Setting("", "N", "", kind=Kind.WHOLE, at_least=at_least, default=at_least)
    return lambda text: read_text(setting, text, flag)


def a_time(flag: str, *, at_least: float) -> Callable[[str], float]:
    """Likewise, of seconds."""
    setting = Setting("", "TIME", "", kind=Kind.NUMBER, at_least=at_least, default=at_least)
    return lambda text: read_text(setting, text, flag)


def _parameter(setting: Setting, shows_default: bool, has_no: bool) -> inspect.Parameter:
    value_type: Any = {Kind.SWITCH: bool | None, Kind.LIST: list[str] | None}.get(setting.kind, str | None)
    name = f"--{setting.name}" + f"/--no-{setting.name}" * (has_no and setting.kind is Kind.SWITCH)
    option = typer.Option(
        name,
        *([setting.short] if setting.short else []),
        metavar=setting.metavar or None,
        help=_help(setting, shows_default),
        rich_help_panel=setting.group or None,
        show_default=False,
        autocompletion=(lambda: list(setting.choices)) if setting.choices else None,
    )
    annotation: Any = Annotated[value_type, option]
    return inspect.Parameter(setting.keyword, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation)


def _help(setting: Setting, shows_default: bool) -> str:
    if setting.kind is Kind.LIST:
        return setting.help if setting.splits else f"{setting.help} [repeatable]"
    default = default_of(setting)
    return f"{setting.help} [default: {default}]" if shows_default and default else setting.help


def default_of(setting: Setting) -> str:
    """The default as a person would write it; empty where nothing is the default."""
    if setting.default_text or setting.kind is Kind.SWITCH or setting.default in (None, "", ()):
        return setting.default_text
    if setting.unit is not None:
        return written(setting.default, setting.unit)
    return f"{setting.default:g}" if isinstance(setting.default, float) else str(setting.default)


def with_values(words: Sequence[str], alone: Mapping[str, str]) -> list[str]:
    """A command line in which each of these flags has its value: the next word, if that is one, or what it means alone.

    They name places to listen at, for which no URL can be taken.
    """
    read: list[str] = []
    for number, word in enumerate(words):
        if word == "--":
            return [*read, *words[number:]]
        has_value = is_place("".join(words[number + 1 : number + 2]))
        read.append(f"{word}={alone[word]}" if word in alone and not has_value else word)
    return read


class GroupedCommand(TyperCommand):
    """A command whose help has a section a subject."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the command line."""
        own = {name for one in self.params for name in one.opts}
        return super().parse_args(ctx, with_values(args, {flag: text for flag, text in ALONE.items() if flag in own}))

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the flags; --[no-]x stands for --x and --no-x."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is None:
                continue
            names, text = record
            section = getattr(parameter, "rich_help_panel", None) or OTHERS
            if parameter.param_type_name == "argument":
                names, section = parameter.metavar or names, "Arguments"
            elif parameter.secondary_opts:
                names = names.partition(" / ")[0].replace("--", "--[no-]")
            sections.setdefault(section, []).append((names, text))
        for section, rows in sorted(sections.items(), key=lambda item: item[0] == OTHERS):
            with formatter.section(section):
                formatter.write_dl(rows)
