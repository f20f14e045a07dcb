"""From what a person wrote to what a setting holds; one sentence, with its place, for what cannot be.

A settings file and a program have numbers and lists as such; flags and the environment have texts. Times and sizes may
have units in all of them.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from weft.errors import BadInput
from weft.import_path import absolute, path_of
from weft.settings.setting import Kind, Setting
from weft.settings.table import CRAWL_SETTINGS
from weft.settings.units import Unit, measured

LARGEST = 2**63 - 1  # what is stored is read back as 64 bits
NO_LIMIT = "none"  # as a value: takes back a limit, or a list, that the file, or the crawl so far, has

_SWITCH_WORDS = {
    "true": True,
    "yes": True,
    "on": True,
    "1": True,
    "false": False,
    "no": False,
    "off": False,
    "0": False,
}


def read_text(setting: Setting, text: str, where: str) -> Any:
    """The value of a flag or of a variable that holds a single one."""
    given: object = text
    match setting.kind:
        case Kind.WHOLE:
            given = _number_in(text, int)
        case Kind.NUMBER:
            given = _number_in(text, float)
        case Kind.SWITCH:
            given = _SWITCH_WORDS.get(text.strip().lower(), text)
    return read_value(setting, given, where)


def read_variable(setting: Setting, text: str, where: str) -> Any:
    """The value of an environment variable; a list has one entry a line, or entries between commas."""
    if setting.kind is not Kind.LIST:
        return read_text(setting, text, where)
    lines = text.replace(",", "\n") if setting.commas else text
    return read_value(setting, [line.strip() for line in lines.splitlines() if line.strip()], where)


def read_keywords(given: Mapping[str, object], settings: Sequence[Setting] = CRAWL_SETTINGS) -> dict[str, Any]:
    """The fields, of CrawlConfig or of what else declares these settings, that a program's keywords mean."""
    known = {setting.keyword: setting for setting in settings}
    fields: dict[str, Any] = {}
    for keyword, value in given.items():
        if keyword not in known:
            for setting in settings:
                if keyword in setting.was:
                    now = setting.now(keyword, setting.keyword, '{}="{}"')
                    raise BadInput(f"the setting {keyword} is now {now}")
            nearest = difflib.get_close_matches(keyword, known, n=1)
            hint = f"; did you mean {nearest[0]!r}?" if nearest else ""
            raise BadInput(f"there is no setting {keyword!r}{hint}")
        fields[str(known[keyword].field)] = read_value(known[keyword], value, f"the setting {keyword}")
    return fields


def read_value(setting: Setting, given: object, where: str) -> Any:
    """The value of a setting from a value of TOML's or Python's types, for the crawl; BadInput if it cannot be."""
    if setting.names_code:
        given = [_path(entry, where) for entry in given] if isinstance(given, list | tuple) else _path(given, where)
    is_number = setting.kind in (Kind.WHOLE, Kind.NUMBER)
    if setting.default is None and (given is None or (given == NO_LIMIT and is_number)):
        return None
    if setting.kind is Kind.LIST:
        return _read_list(setting, given, where)
    if setting.kind is Kind.TABLES:
        from weft.settings.host_tables import read_hosts  # which reads its values by this

        return read_hosts(given, where)
    if setting.unit is not None and isinstance(given, str):
        given = _in_units(setting, setting.unit, given)
    if not _is_of_kind(setting, given):
        shown = "" if setting.secret else f", not {_shown(given)}"
        raise BadInput(f"{where} must be {_wanted(setting)}{shown}")
    return float(given) if setting.kind is Kind.NUMBER else given  # type: ignore[arg-type]


def _read_list(setting: Setting, given: object, where: str) -> tuple[Any, ...]:
    if given in (NO_LIMIT, [NO_LIMIT]):
        return ()
    if isinstance(given, Mapping) and setting.pair is not None:
        given = tuple(given.items())
    entries = given if isinstance(given, list | tuple) else (given,)
    if setting.pair is None:
        if all(map(_is_text, entries)):
            return _entries(setting, entries, where)
    elif all(_is_text(entry) or _is_pair(entry) for entry in entries):
        return tuple(_pair(setting.pair, entry, where) for entry in entries)
    shown = f", not {_shown(given)}" if setting.pair is None else ""  # one of two may be a password
    raise BadInput(f"{where} must be {_wanted(setting)}{shown}")


def _entries(setting: Setting, entries: Sequence[str], where: str) -> tuple[str, ...]:
    if not setting.splits:
        return tuple(entries)
    found = tuple(dict.fromkeys(word for entry in entries for part in entry.split(",") if (word := part.strip())))
    if entries and not found:  # as `--language "$TAGS"` is, with a variable that is not set
        raise BadInput(f"{where} is empty")
    for word in found:
        if setting.choices and word not in setting.choices:
            raise BadInput(f"{where} must be one of {', '.join(setting.choices)}, or several with commas, not {word!r}")
    return found


def _path(given: object, where: str) -> object:
    """What is stored is a text, by which each worker finds the function."""
    if isinstance(given, str):
        return absolute(given)
    return path_of(given, f"{where}:") if callable(given) else given


def _in_units(setting: Setting, unit: Unit, text: str) -> int | float | str:
    amount = measured(text, unit)
    if amount is None:
        return text
    return round(amount) if setting.kind is Kind.WHOLE else amount


def _number_in(text: str, number: type[int | float]) -> int | float | str:
    try:
        return number(text)
    except ValueError:
        return text


def _is_of_kind(setting: Setting, given: object) -> bool:
    match setting.kind:
        case Kind.WHOLE:
            return type(given) is int and _is_enough(setting, given)
        case Kind.NUMBER:
            return type(given) in (int, float) and _is_enough(setting, given)  # type: ignore[arg-type]
        case Kind.SWITCH:
            return isinstance(given, bool)
        case Kind.TEXT:
            return _is_text(given) and (not setting.choices or given in setting.choices)
    return False


def _is_enough(setting: Setting, number: float) -> bool:
    assert setting.at_least is not None
    return setting.at_least <= number <= LARGEST  # neither infinity nor what is no number


def _is_text(given: object) -> bool:
    return isinstance(given, str) and "\0" not in given and _is_unicode(given)


def _is_unicode(text: str) -> bool:
    """Bytes of the command line that are none come as halves of characters, which cannot be stored."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _wanted(setting: Setting) -> str:
    if setting.choices:
        return f"one of {', '.join(setting.choices)}"
    if setting.at_least is not None:
        written = f", or with a unit: {setting.unit.value}" if setting.unit is not None else ""
        return f"{setting.kind.value} of at least {setting.at_least:g}{written}"
    return setting.kind.value


def _shown(given: object) -> str:
    if isinstance(given, bool):
        return str(given).lower()
    text = repr(given)
    return text if len(text) <= 100 else text[:100] + "…"


def _is_pair(given: object) -> bool:
    return isinstance(given, list | tuple) and len(given) == 2 and all(map(_is_text, given))


def _pair(read: Callable[[str], tuple[str, str]], given: Any, where: str) -> tuple[str, str]:
    try:
        return read(given) if isinstance(given, str) else (given[0], given[1])
    except BadInput as error:
        raise BadInput(f"{where}: {error}") from error
