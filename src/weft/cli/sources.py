"""Where settings come from; each source overrides the ones before it.

    default ◀ settings file ◀ environment ◀ flag

A list that a later source gives replaces an earlier one whole.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from weft.cli.settings import BY_NAME, SETTINGS
from weft.config import CrawlConfig
from weft.errors import BadInput
from weft.settings.host_tables import KEY as TABLES_KEY
from weft.settings.host_tables import read_tables
from weft.settings.setting import Setting
from weft.settings.toml_lines import lines_in, place
from weft.settings.values import read_text, read_value, read_variable

PREFIX = "WEFT_"
FILE_VARIABLE = "WEFT_CONFIG"  # names the settings file, as --config does
NO_FORKS = "WEFT_NO_FORKS"  # nor this: `workers.nursery` starts none then
NO_SCANNER = "WEFT_NO_SCANNER"  # no setting: `parse.scan` does without its part in C then
NATS_VARIABLE = "WEFT_NATS"  # no setting: names the cluster's servers, as --nats does
TOKEN_VARIABLE = "WEFT_DASHBOARD_TOKEN"  # no setting: who shows it may steer a crawl by its page
OTHER_VARIABLES = (FILE_VARIABLE, NO_SCANNER, NO_FORKS, NATS_VARIABLE, TOKEN_VARIABLE)
LOCAL_FILE = Path("weft.toml")
HOSTS = "hosts"  # the setting that the [host] tables of a file are


class SourceKind(StrEnum):
    """The sources, the strongest last."""

    DEFAULT = "default"
    FILE = "file"
    ENVIRONMENT = "environment"
    FLAG = "flag"


@dataclass(frozen=True, slots=True)
class Given:
    """A value, and who gave it."""

    value: Any
    source: SourceKind = SourceKind.DEFAULT
    name: str = ""  # of the file, the variable or the flag
    line: int = field(default=0, compare=False)  # in the file, where it is known

    @property
    def place(self) -> str:
        """The file with the line, the variable or the flag."""
        return f"{self.name}, line {self.line}" if self.line else self.name


class Effective:
    """All settings, each with its value and its source."""

    def __init__(self, given: Mapping[str, Given]) -> None:
        self.given = {setting.name: given.get(setting.name, Given(setting.default)) for setting in SETTINGS}
        self.fields = fields_of(given)  # of the crawl, those that somebody gave

    def __getitem__(self, name: str) -> Any:
        return self.given[name].value

    def said(self) -> dict[str, Any]:
        """What somebody gave, by name."""
        return {name: one.value for name, one in self.given.items() if one.source is not SourceKind.DEFAULT}

    def config(self, seeds: Iterable[str]) -> CrawlConfig:
        """The crawl's part."""
        return CrawlConfig(seeds=tuple(seeds), **self.fields)


def fields_of(given: Mapping[str, Given], settings: Iterable[Setting] = SETTINGS) -> dict[str, Any]:
    """What is given for the crawl, by the field of CrawlConfig; or for what else has these settings."""
    known = {setting.name: setting.field for setting in settings}
    return {field: one.value for name, one in given.items() if (field := known[name]) is not None}


def effective(flags: Mapping[str, object], file: Path | None, environment: Mapping[str, str]) -> Effective:
    """The settings that hold. `file` is what --config says; `flags` are by parameter, None where not given."""
    from_environment = read_environment(environment)
    path = settings_file(file, environment)
    given = {**(read_file(path) if path else {}), **from_environment}
    from_flags = read_flags(flags)
    holding = {**given, **from_flags}
    _check(holding)
    if given.keys() & from_flags.keys():
        _check({**from_flags, **given})  # what a flag overrides must be right, too
    return Effective(holding)


def settings_file(named: Path | None, environment: Mapping[str, str]) -> Path | None:
    """The file to read: the one that is named, or else the first one that is there."""
    if named is None and environment.get(FILE_VARIABLE):
        named = Path(environment[FILE_VARIABLE])
    if named is not None:
        return named
    folder = environment.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
    return next((path for path in (LOCAL_FILE, Path(folder, "weft", "config.toml")) if path.is_file()), None)


def read_file(path: Path) -> dict[str, Given]:
    """The settings in a file."""
    import tomllib  # only then: a crawl without a file does not wait for it

    try:
        text = path.read_bytes().decode()
        content = tomllib.loads(text)
    except OSError as error:
        raise BadInput(f"cannot read the settings in {path}: {error.strerror or error}") from error
    except (ValueError, RecursionError) as error:  # no TOML, no UTF-8, or a number of thousands of digits
        raise BadInput(f"{path} is not a TOML file: {error}") from error
    given: dict[str, Given] = {}
    lines = lines_in(text)
    for key, value in content.items():
        at = place(path, lines, key)
        name = HOSTS if key == TABLES_KEY else key.replace("_", "-")
        if name not in BY_NAME:
            _refuse_old_name(name, f"{at}: {key!r}", lambda setting: repr(setting.name))
            raise BadInput(f"{at}: unknown key {key!r}; the nearest known key is {_nearest(name, BY_NAME)!r}")
        if name in given:
            how = f"as {HOSTS!r} and as tables" if name == HOSTS else "with - and with _"
            raise BadInput(f"{at}: {name!r} is there twice, {how}")
        if key == TABLES_KEY:
            given[name] = Given(read_tables(value, str(path), lines), SourceKind.FILE, str(path))
            continue
        read = read_value(BY_NAME[name], value, f"{at}: {key!r}")
        given[name] = Given(read, SourceKind.FILE, str(path), lines.get((key,), 0))
    return given


def read_environment(environment: Mapping[str, str]) -> dict[str, Given]:
    """The settings in the environment. A variable that is empty says nothing."""
    known = {setting.variable: setting for setting in SETTINGS}
    given: dict[str, Given] = {}
    for variable, text in environment.items():
        if not variable.startswith(PREFIX) or variable in OTHER_VARIABLES:
            continue
        if variable not in known:
            old = variable.removeprefix(PREFIX).lower().replace("_", "-")
            _refuse_old_name(old, variable, lambda setting: setting.variable)
            nearest = _nearest(variable, [*known, FILE_VARIABLE, NATS_VARIABLE])
            raise BadInput(f"unknown environment variable {variable}; the nearest known one is {nearest}")
        if text:
            setting = known[variable]
            value = read_variable(setting, text, f"the environment variable {variable}")
            given[setting.name] = Given(value, SourceKind.ENVIRONMENT, variable)
    return given


def read_flags(flags: Mapping[str, object], settings: Iterable[Setting] = SETTINGS) -> dict[str, Given]:
    """The settings among a command's flags; None, or an empty list, is a flag that was not given."""
    given: dict[str, Given] = {}
    for setting in settings:
        said = flags.get(setting.keyword)
        if said is not None and said != []:
            flag = f"--{setting.name}"
            value = read_text(setting, said, flag) if isinstance(said, str) else read_value(setting, said, flag)
            given[setting.name] = Given(value, SourceKind.FLAG, flag)
    return given


def _check(given: Mapping[str, Given]) -> None:
    """Refuse settings with which no crawl could begin; the sentence names the place of the one that is wrong."""
    if (complaint := _complaint(given)) is None:
        return
    for name, one in given.items():
        if _complaint({name: one}) == complaint:
            is_named = one.source is not SourceKind.FILE or name == HOSTS  # a table is, with its key
            raise BadInput(f"{one.place if is_named else f'{one.place}: {name!r}'}: {complaint}")
    if complaint.startswith("[") and HOSTS in given:
        raise BadInput(f"{given[HOSTS].name}: {complaint}")
    raise BadInput(complaint)  # each is right, but not with the others


def _complaint(given: Mapping[str, Given]) -> str | None:
    from weft.pipeline.crawl import check  # the engine: `weft get` does without it

    try:
        check(CrawlConfig(**fields_of(given)))
    except BadInput as error:
        return str(error)
    return None


def _refuse_old_name(old: str, written: str, write: Callable[[Setting], str]) -> None:
    for setting in SETTINGS:
        if old in setting.was:
            raise BadInput(f"{written} is now {write(setting)}")


def _nearest(name: str, known: Iterable[str]) -> str:
    return difflib.get_close_matches(name, list(known), n=1, cutoff=0.0)[0]
