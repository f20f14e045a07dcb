"""The secret that a person shows who wants to steer a crawl."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from weft.errors import BadInput
from weft.regex import regex

VARIABLE: Final = "WEFT_DASHBOARD_TOKEN"
FILE: Final = "dashboard-token"  # in state/
FEWEST_CHARACTERS: Final = 16
MOST_BYTES: Final = 512
_FORM: Final = regex(rf"[A-Za-z0-9._~-]{{{FEWEST_CHARACTERS},{MOST_BYTES}}}")
_PRIVATE: Final = 0o600


def token_for(folder: Path | None, environment: Mapping[str, str]) -> str:
    """The token that the environment names; or the folder's own, made when there is none, so that a link stays good."""
    if given := environment.get(VARIABLE):
        if not _FORM.fullmatch(given):
            raise BadInput(f"{VARIABLE} must be {FEWEST_CHARACTERS} or more letters, digits and . _ ~ -")
        return given
    if folder is None:
        return _new()
    path = folder / "state" / FILE
    return _kept(path) or _made(path)


def _kept(path: Path) -> str | None:
    """What is there already; None if it is somebody else's, open to others, or no token."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    with os.fdopen(fd, "rb") as file:
        facts = os.fstat(fd)
        if facts.st_uid != os.geteuid() or facts.st_mode & 0o077:
            return None
        text = file.read(MOST_BYTES + 1).decode("ascii", "replace").strip()
    return text if _FORM.fullmatch(text) else None


def _made(path: Path) -> str:
    """A new one; in a folder that cannot be written it holds for this time only."""
    token = _new()
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        temporary.unlink(missing_ok=True)
        fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, _PRIVATE)
        with os.fdopen(fd, "w") as file:
            file.write(f"{token}\n")
        temporary.replace(path)
    except OSError:
        temporary.unlink(missing_ok=True)
    return token


def _new() -> str:
    import secrets  # only then: every crawl imports this module, and few have a dashboard

    return secrets.token_urlsafe()
