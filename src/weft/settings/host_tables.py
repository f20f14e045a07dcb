"""Settings for some hosts as people write them: `[host."*.example.org"]` in a file, `hosts={…}` in a program."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from weft.config import HostTable
from weft.errors import BadInput, BadUrl
from weft.settings.by_host import BELOW, EVERY_HOST
from weft.settings.pairs import SECRET_HEADERS
from weft.settings.setting import Kind, Setting
from weft.settings.table import CRAWL_SETTINGS, HOST_SETTINGS
from weft.settings.toml_lines import Lines, lines_in, place
from weft.settings.values import NO_LIMIT, read_value
from weft.url import canonicalize, host_of, registrable_domain

MAX_TABLES: Final = 10_000
KEY: Final = "host"  # of the tables in a file
_BY_NAME: Final = {setting.name: setting for setting in HOST_SETTINGS}
_ELSEWHERE: Final = frozenset(setting.name for setting in CRAWL_SETTINGS) - _BY_NAME.keys()
_AUTH: Final = Setting("", "USER:PASSWORD", "", name="auth", field="auth", kind=Kind.TEXT, secret=True)


def read_hosts(given: object, where: str) -> tuple[HostTable, ...]:
    """Tables by pattern, as a program has them; or those of the file that a text names."""
    if given == NO_LIMIT or not given:
        return ()
    if isinstance(given, str):
        return read_host_file(Path(given), where)
    return read_tables(given, where, {})


def read_host_file(path: Path, where: str) -> tuple[HostTable, ...]:
    """The [host] tables in a TOML file; what else it has is not looked at."""
    import tomllib  # only then: a crawl without a file does not wait for it

    try:
        text = path.read_bytes().decode()
        tables = tomllib.loads(text).get(KEY)
    except OSError as error:
        raise BadInput(f"{where}: cannot read {path}: {error.strerror or error}") from error
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{where}: {path} is not a TOML file: {error}") from error
    if tables is None:
        raise BadInput(f"{where}: {path} has no [{KEY}] tables; '{NO_LIMIT}' takes back those that a crawl has")
    return read_tables(tables, str(path), lines_in(text))


def read_tables(given: object, where: str, lines: Lines) -> tuple[HostTable, ...]:
    """Tables by pattern; `lines` says where they stand in a file, where there is one."""
    if not isinstance(given, Mapping) or not all(isinstance(one, Mapping) for one in given.values()):
        raise BadInput(f'{place(where, lines, KEY)}: settings by host are tables, as [{KEY}."*.example.org"]')
    if len(given) > MAX_TABLES:
        raise BadInput(f"{where}: there are {len(given):,} tables of settings by host, and {MAX_TABLES:,} are allowed")
    tables: dict[str, HostTable] = {}
    for written, settings in given.items():
        at = f'{place(where, lines, KEY, str(written))}: [{KEY}."{str(written)[:100]}"]'
        pattern = _pattern(written, at)
        if pattern in tables:
            raise BadInput(f"{at} is there twice: it means {pattern}, as another table does")
        tables[pattern] = _table(pattern, written, settings, where, lines)
    return tuple(tables.values())


def pattern_of(written: object) -> str:
    """A pattern in the one form in which names are compared; BadInput for what is none."""
    if not isinstance(written, str):
        raise BadInput("the name of a host must be a text")
    if written == EVERY_HOST:
        return written
    is_below = written.startswith(BELOW)
    name = written.removeprefix(BELOW)
    host = _host(name)
    if is_below and (":" in host or host.rpartition(".")[2].isdigit()):
        raise BadInput(f"{BELOW} stands before a name, and {name} is an address")
    return BELOW * is_below + host


def _pattern(written: object, at: str) -> str:
    try:
        return pattern_of(written)
    except BadInput as error:
        raise BadInput(f"{at}: {error}") from error


def _host(name: str) -> str:
    if "*" in name:
        raise BadInput("a * stands alone, or first as in *.example.org")
    is_address = name.count(":") > 1  # of IP version 6, in brackets or not
    bare = name.strip("[]") if is_address else name
    if not bare or any(char in bare for char in "/\\?#@") or any(char.isspace() for char in bare):
        raise BadInput("that is not the name of a host")
    if ":" in bare and not is_address:
        raise BadInput("a host has one table for all its ports and schemes: leave them out")
    try:
        host = host_of(canonicalize(f"http://[{bare}]/" if is_address else f"http://{bare}/")).rstrip(".")
    except BadUrl:
        host = ""
    if not host:
        raise BadInput("that is not the name of a host")
    return host


def _table(pattern: str, written: str, settings: Mapping[Any, Any], where: str, lines: Lines) -> HostTable:
    fields: dict[str, Any] = {}
    for key, value in settings.items():
        at = f'{place(where, lines, KEY, written, str(key))}: [{KEY}."{written}"]'
        name = str(key).replace("_", "-")
        if name not in _BY_NAME:
            raise BadInput(f"{at}: {_unknown(str(key), name)}")
        setting = _AUTH if name == "auth" else _BY_NAME[name]
        if setting.field in fields:
            raise BadInput(f"{at}: {name!r} is there twice, with - and with _")
        fields[str(setting.field)] = read_value(setting, value, f"{at} {key!r}")
        _refuse_misplaced(pattern, name, fields, f"{at} {key!r}")
    return HostTable(pattern=pattern, **fields)


def _unknown(key: str, name: str) -> str:
    if name in _ELSEWHERE:
        return f"{key!r} holds for the whole crawl, not by host; by host there are {', '.join(_BY_NAME)}"
    nearest = difflib.get_close_matches(name, _BY_NAME, n=1, cutoff=0.0)[0]
    return f"unknown key {key!r}; the nearest known key is {nearest!r}"


def _refuse_misplaced(pattern: str, name: str, fields: Mapping[str, Any], at: str) -> None:
    """A login without its user; and what says who we are, for hosts of many owners."""
    if name == "auth" and ":" not in fields["auth"]:
        raise BadInput(f"{at} must look like user:password")  # without the password that was given
    if name == "header" and any("=" in header for header, _ in fields["headers"]):
        raise BadInput(f"{at}: a header in a table is for its hosts: 'Name: value', without a host")
    is_secret = name == "auth" or (
        name == "header" and any(header.lower() in SECRET_HEADERS for header, _ in fields["headers"])
    )
    if is_secret and _is_of_many_owners(pattern):
        raise BadInput(f"{at} would tell a secret to hosts of many owners: name the host, or a domain of one owner")


def _is_of_many_owners(pattern: str) -> bool:
    if pattern == EVERY_HOST:
        return True
    name = pattern.removeprefix(BELOW)
    # A public suffix (org, co.uk, github.io) is its own registrable domain, and so is that of a name below it … which
    # is then one label longer.
    return pattern.startswith(BELOW) and registrable_domain(f"x.{name}") == f"x.{name}"
