"""`weft config --host X`: what holds for a host, and which table, file or flag says so."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from weft.cli.sources import HOSTS, Effective, Given, SourceKind
from weft.config import HostTable
from weft.errors import BadInput, BadUrl
from weft.fetch.audience import SeedHosts
from weft.settings.by_host import ByHost, named
from weft.settings.host_tables import KEY, pattern_of
from weft.settings.setting import Setting
from weft.settings.table import HOST_SETTINGS
from weft.settings.toml_lines import lines_in
from weft.url import canonicalize, host_of


class Holding(msgspec.Struct, frozen=True):
    """A setting as it holds for a host."""

    setting: Setting
    value: Any
    given: Given  # the crawl's own; or that of all tables, if one of them says it
    table: HostTable | None = None
    line: int = 0

    @property
    def words(self) -> str:
        """Who says so."""
        given = self.given
        if self.table is None:
            return given.source.value if given.source is SourceKind.DEFAULT else f"{given.source} {given.place}"
        at = f", line {self.line}" if self.line else ""
        return f"{given.source} {given.name}{at}, {named(self.table)}"


def host_asked(text: str) -> str:
    """The host that is meant by a name or a URL."""
    try:
        host = host_of(canonicalize(text)) if "://" in text else pattern_of(text)
    except (BadInput, BadUrl) as error:
        raise BadInput(f"--host: {text!r}: {error}") from error
    if "*" in host:
        raise BadInput(f"--host: {text!r} is a pattern; give the name of a host")
    return host


def holding_for(settings: Effective, host: str) -> Iterator[Holding]:
    """Each setting that can be said by host."""
    tables: tuple[HostTable, ...] = settings[HOSTS]
    by_host, lines = ByHost(tables), _lines(settings.given[HOSTS])
    for setting in HOST_SETTINGS:
        given, own = settings.given[setting.name], ()
        if setting.pair is not None:
            own = tuple(one for one in given.value if _place_of(setting, one) == host)
        table = by_host.table_for(host, str(setting.field))
        if table is None or (setting.name == "auth" and own):  # who names the host goes before its table
            value = given.value
            if setting.pair is not None:
                value = tuple(one for one in value if not _place_of(setting, one)) + own
            yield Holding(setting, value, given)
        else:
            value = getattr(table, str(setting.field))
            value = ((host, value),) if setting.name == "auth" else (*value, *own) if own else value
            line = lines.get((table.pattern, setting.name), 0)
            yield Holding(setting, value, settings.given[HOSTS], table, line)


def _place_of(setting: Setting, pair: tuple[str, str]) -> str:
    """The host that a login, or a header with a host, is for; empty: none by name."""
    place = pair[0] if setting.name == "auth" else pair[0].rpartition("=")[0]
    return SeedHosts(()).audience(place).host if place else ""


def _lines(given: Given) -> dict[tuple[str, str], int]:
    """Where each table has each key, in the file that has them."""
    if given.source is not SourceKind.FILE:
        return {}
    try:
        found = lines_in(Path(given.name).read_text())
    except (OSError, ValueError):
        return {}
    lines: dict[tuple[str, str], int] = {}
    for names, line in found.items():
        if len(names) == 3 and names[0] == KEY:  # host, pattern, key
            try:
                lines[pattern_of(names[1]), names[2].replace("_", "-")] = line
            except BadInput:
                continue
    return lines
