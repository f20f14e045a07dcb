"""`weft config`: the settings that hold here, and where each comes from."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from weft.cli.host_config import Holding, holding_for, host_asked
from weft.cli.options import takes
from weft.cli.settings import BY_NAME, SETTINGS
from weft.cli.sources import Effective, Given, SourceKind, effective
from weft.config import HostTable
from weft.settings.pairs import SECRET_HEADERS
from weft.settings.setting import Setting
from weft.settings.table import HOST_SETTINGS

HIDDEN = "…"  # stands for a password
NAME_CHARS, VALUE_CHARS = 24, 24  # columns
TABLES_NAMED = 5  # of settings by host


def _without_host(setting: Setting) -> Setting:
    """Here --host is a question, so another host has its long name only."""
    return msgspec.structs.replace(setting, short="") if setting.short == "--host" else setting


ConfigFile = Annotated[
    Path | None,
    typer.Option(
        "--config", metavar="FILE", help="Read settings from this file. [default: weft.toml, else the user's]"
    ),
]


@takes(_without_host(setting) for setting in SETTINGS if setting.name != "json")
def config(
    config: ConfigFile = None,
    host: Annotated[
        str | None, typer.Option("--host", metavar="HOST", help="What holds for this host, and which table says so.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the settings as one JSON object.")] = False,
    **flags: Any,
) -> None:
    """Show the settings that a crawl would have, and their sources.

    It takes the flags of `weft crawl` and `weft mirror`. Passwords are not shown.
    """
    settings = effective(flags, config, os.environ)
    if host is not None:
        holding = list(holding_for(settings, host_asked(host)))
        print(msgspec.json.encode(host_object(holding)).decode() if as_json else host_text(holding))
    elif as_json:
        print(msgspec.json.encode(as_object(settings)).decode())
    else:
        print(as_text(settings))


def as_object(settings: Effective) -> dict[str, dict[str, Any]]:
    """What --json prints: value, source and, where there is one, the source's name, by setting."""
    return {
        name: {"value": shown(BY_NAME[name], given.value), "source": given.source.value}
        | ({"name": given.name} if given.name else {})
        for name, given in settings.given.items()
    }


def shown(setting: Setting, value: Any) -> Any:
    """The value as a person wrote it, without secrets."""
    match setting.name:
        case "auth":
            return [f"{host}={_login(login)}" for host, login in value]
        case "login-field":
            return [f"{name}={HIDDEN}" for name, _ in value]
        case "header":
            return [f"{name}: {HIDDEN if _is_secret(name) else text}" for name, text in value]
        case "hosts":
            return {table.pattern: _shown_table(table) for table in value}
        case "proxy":
            return re.sub(r"(//[^/@:]*):[^/]*@", rf"\1:{HIDDEN}@", value)
    return list(value) if isinstance(value, tuple) else value


def _shown_table(table: HostTable) -> dict[str, Any]:
    values = {one: getattr(table, str(one.field)) for one in HOST_SETTINGS}
    return {
        one.name: shown(one, value) if one.name != "auth" else _login(value)
        for one, value in values.items()
        if value is not None
    }


def _login(login: str) -> str:
    return f"{login.partition(':')[0]}:{HIDDEN}"


def host_object(holding: list[Holding]) -> dict[str, dict[str, Any]]:
    """What --json prints of a host."""
    found = {}
    for one in holding:
        found[one.setting.name] = {"value": shown(one.setting, one.value), "source": one.given.source.value}
        told = {"name": one.given.name, "line": one.line or one.given.line}
        told |= {"table": one.table.pattern} if one.table is not None else {}
        found[one.setting.name] |= {key: value for key, value in told.items() if value}
    return found


def host_text(holding: list[Holding]) -> str:
    """What a person reads of a host."""
    return "\n".join(_rows((one.setting.name, _as_text(one.setting, one.value), one.words) for one in holding))


def _is_secret(header: str) -> bool:
    return "=" in header or header.lower() in SECRET_HEADERS


def as_text(settings: Effective) -> str:
    """What a person reads: a section a subject, a line a setting."""
    lines: list[str] = []
    for group, members in groupby(SETTINGS, key=lambda setting: setting.group):
        lines += ["", f"{group}:"]
        given = [(setting, settings.given[setting.name]) for setting in members]
        lines += _rows((setting.name, _as_text(setting, one.value), _source(one)) for setting, one in given)
    return "\n".join(lines[1:])


def _rows(cells: Iterable[tuple[str, str, str]]) -> Iterator[str]:
    """Name, value and source in columns; a value that is too long for its column has the source on a line below."""
    for name, value, source in cells:
        if len(value) <= VALUE_CHARS:
            yield f"  {name:<{NAME_CHARS}} {value:<{VALUE_CHARS}} {source}"
        else:
            yield f"  {name:<{NAME_CHARS}} {value}"
            yield f"  {'':<{NAME_CHARS}} {'':<{VALUE_CHARS}} {source}"


def _as_text(setting: Setting, given: Any) -> str:
    value = shown(setting, given)
    if value is None or value in ("", [], {}):
        return setting.default_text or "-"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        more = len(value) - TABLES_NAMED
        return " | ".join(list(value)[:TABLES_NAMED]) + f" and {more:,} more" * (more > 0)
    return " | ".join(value) if isinstance(value, list) else str(value)


def _source(given: Given) -> str:
    return given.source.value if given.source is SourceKind.DEFAULT else f"{given.source} {given.name}"
