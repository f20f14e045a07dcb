"""A page by its URL, for commands that want to look at one: the settings that hold, and what a failure means."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from weft.cli.exits import Exit
from weft.cli.sources import Given, fields_of, read_environment, read_file, read_flags, settings_file
from weft.regex import regex
from weft.settings.one_page import ONE_PAGE_SETTINGS

if TYPE_CHECKING:
    from weft.errors import GetFailed
    from weft.page import Page

# A word and a colon, as in `mailto:`; what comes before a port is a host.
_HAS_SCHEME = regex(r"[A-Za-z][A-Za-z0-9+.-]*:(?![0-9])")
_PATHS = ("/", ".", "~")
# Such a server seldom has a certificate, unless it has the port of https; browsers assume http for it, too.
_IS_NEAR = regex(
    r"(localhost|[0-9]{1,3}(\.[0-9]{1,3}){3}|\[[0-9A-Fa-f:.]+\])(?=[:/?#]|$)(?!:443(?![0-9]))", re.IGNORECASE
)


def page_at(url: str, fields: dict[str, Any], *, or_folder: bool = False) -> Page:
    """The page at a URL, whatever its status; where there is none, one sentence and the exit code say so.

    With `or_folder`, what has no scheme may have been meant as the name of a folder, which is not there.
    """
    from weft.api.get import get_by_fields  # later than what may be refused without it
    from weft.errors import GetFailed
    from weft.types import Outcome

    try:
        return get_by_fields(with_scheme(url), fields)
    except GetFailed as error:
        if or_folder and "://" not in url and error.reason is Outcome.DNS_NOT_FOUND:
            end_without_page(f"{url}: there is no such folder, and no such host: is the name right?")
        end_without_page(sentence_of(error))


def one_page_fields(flags: Mapping[str, object], file: Path | None) -> dict[str, Any]:
    """The settings that hold for one page, by field: those of a file, of the environment, and these flags."""
    path = settings_file(file, os.environ)
    from_all: dict[str, Given] = {**(read_file(path) if path else {}), **read_environment(os.environ)}
    known = {setting.name for setting in ONE_PAGE_SETTINGS}
    given = {name: one for name, one in from_all.items() if name in known}  # the others are for crawls
    return fields_of({**given, **read_flags(flags, ONE_PAGE_SETTINGS)}, ONE_PAGE_SETTINGS)


def with_scheme(url: str) -> str:
    """What is meant by a URL as people write it: https://, or http:// before localhost and IP addresses but port 443.

    A path of this machine is no URL, and is left to be refused.
    """
    bare = url.strip()
    if _HAS_SCHEME.match(bare) or bare.startswith(_PATHS):
        return url
    return f"http://{bare}" if _IS_NEAR.match(bare) else f"https://{bare}"


def sentence_of(error: GetFailed) -> str:
    """What has happened, and what can be done about it."""
    from weft.api.trouble import FORBIDDEN, advice, known_troubles
    from weft.cli.printing import printable
    from weft.types import Refusal
    from weft.url import host_of

    outcome = FORBIDDEN if error.reason is Refusal.ROBOTS else str(error.reason)
    if not known_troubles([outcome]):
        return printable(str(error))
    rule = error.detail.partition("forbids it")[2] if error.reason is Refusal.ROBOTS else ""
    return printable(f"{error.url}: {advice(outcome, host_of(error.url))}{rule}")


def end_without_page(sentence: str) -> NoReturn:
    """Say why there is no page, and end."""
    print(f"weft: {sentence}", file=sys.stderr)
    sys.exit(Exit.SEEDS_FAILED)
