"""`weft config`: the settings that hold here, and where each comes from."""

from __future__ import annotations

import os
import re
from itertools import groupby
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from weft.cli.options import takes
from weft.cli.settings import BY_NAME, SETTINGS
from weft.cli.sources import Effective, Given, SourceKind, effective
from weft.settings.setting import Setting

HIDDEN = "…"  # stands for a password
_SECRET_HEADERS = frozenset({"authorization", "cookie", "proxy-authorization"})

ConfigFile = Annotated[
    Path | None,
    typer.Option(
        "--config", metavar="FILE", help="Read settings from this file. [default: weft.toml, else the user's]"
    ),
]


@takes(setting for setting in SETTINGS if setting.name != "json")
def config(
    config: ConfigFile = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the settings as one JSON object.")] = False,
    **flags: Any,
) -> None:
    """Show the settings that a crawl would have, and their sources.

    It takes the flags of `weft crawl`. Passwords are not shown.
    """
    settings = effective(flags, config, os.environ)
    if as_json:
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
            return [f"{host}={login.partition(':')[0]}:{HIDDEN}" for host, login in value]
        case "header":
            return [f"{name}: {HIDDEN if _is_secret(name) else text}" for name, text in value]
        case "proxy":
            return re.sub(r"(//[^/@:]*):[^/]*@", rf"\1:{HIDDEN}@", value)
    return list(value) if isinstance(value, tuple) else value


def _is_secret(header: str) -> bool:
    return "=" in header or header.lower() in _SECRET_HEADERS


def as_text(settings: Effective) -> str:
    """What a person reads: a section a subject, a line a setting."""
    lines: list[str] = []
    for group, members in groupby(SETTINGS, key=lambda setting: setting.group):
        lines += ["", f"{group}:"]
        for setting in members:
            given = settings.given[setting.name]
            lines.append(f"  {setting.name:<24} {_text(setting, given):<24} {_source(given)}")
    return "\n".join(lines[1:])


def _text(setting: Setting, given: Given) -> str:
    value = shown(setting, given.value)
    if value is None or value in ("", []):
        return setting.default_text or "-"
    if isinstance(value, bool):
        return "true" if value else "false"
    return " | ".join(value) if isinstance(value, list) else str(value)


def _source(given: Given) -> str:
    return given.source.value if given.source is SourceKind.DEFAULT else f"{given.source} {given.name}"
