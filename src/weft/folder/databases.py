"""Where the rows of a crawl lie: in one database, or in one an engine.

    state/db            the one database
    state/engines.json  names the databases of several engines; while it is there, they hold, and state/db does not
    state/engines-K/    these: 0, 1, 2 …

The file appears, changes and goes in one step: so a crawl goes from one number of engines to another at one moment
(`engines.moving`), whatever is killed when.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec

from weft.errors import FolderError
from weft.state import State, is_at, sync_path
from weft.state.several import SeveralStates
from weft.whole_file import appearing_whole

ENGINES_FILE: Final = "engines.json"
ONE_DATABASE: Final = "db"
_SETS: Final = "engines-*"


class Databases(msgspec.Struct, frozen=True):
    """The file state/engines.json."""

    names: tuple[str, ...]  # of folders in state/, in the order of the engines


def databases_of(folder: Path) -> list[Path]:
    """The databases of the crawl in a folder, in the order of its engines."""
    state = folder / "state"
    try:
        names = msgspec.json.decode((state / ENGINES_FILE).read_bytes(), type=Databases).names
    except FileNotFoundError:
        names = (ONE_DATABASE,)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise FolderError(f"cannot read {state / ENGINES_FILE}: {error}") from error
    return [state / name for name in names]


def open_to_read(folder: Path) -> State:
    """The rows of a crawl, as they are at this moment."""
    paths = databases_of(folder)
    return State(paths[0], is_read_only=True) if len(paths) == 1 else SeveralStates(paths)


def are_there(folder: Path) -> bool:
    """Whether all of a crawl's databases are where they should be."""
    return all(map(is_at, databases_of(folder)))


def new_set(folder: Path) -> Path:
    """An empty folder in state/ for the databases of several engines; what was left unfinished there goes first."""
    state = folder / "state"
    used = {path.parent for path in databases_of(folder)}
    for path in state.glob(_SETS):
        if path not in used:
            shutil.rmtree(path)
    number = next(number for number in range(1, 3) if not (state / f"engines-{number}").exists())
    path = state / f"engines-{number}"
    path.mkdir(mode=0o700)
    return path


def switch(folder: Path, paths: Sequence[Path]) -> None:
    """From now on the crawl has these databases: several in a new set, or one, which takes its usual place."""
    state, before = folder / "state", databases_of(folder)
    if len(paths) == 1:
        if paths[0] != before[0]:
            shutil.rmtree(state / ONE_DATABASE, ignore_errors=True)  # of a switch that was not finished
            paths[0].rename(state / ONE_DATABASE)
            sync_path(state)
            (state / ENGINES_FILE).unlink()
    else:
        names = tuple(str(path.relative_to(state)) for path in paths)
        with appearing_whole(state / ENGINES_FILE) as file:
            file.write(msgspec.json.encode(Databases(names)))
    sync_path(state)
    remove_others(folder)


def remove_others(folder: Path) -> None:
    """Take away the databases that do not hold any more."""
    state, used = folder / "state", databases_of(folder)
    for path in (state / ONE_DATABASE, *state.glob(_SETS)):
        if not any(one == path or path in one.parents for one in used):
            shutil.rmtree(path, ignore_errors=True)


def set_aside(folder: Path, name: str) -> Path | None:
    """Move the databases away, for `weft repair`; where they are then. None: there were none."""
    state, paths = folder / "state", databases_of(folder)
    aside = state / name
    several = len(paths) > 1
    place = paths[0].parent if several else paths[0]
    if not place.exists():
        with suppress(FileNotFoundError):
            (state / ENGINES_FILE).unlink()
        return None
    place.rename(aside)
    sync_path(state)
    if several:
        (state / ENGINES_FILE).unlink()
    return aside
