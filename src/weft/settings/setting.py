"""What there is to say about a setting."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum, StrEnum
from keyword import iskeyword
from typing import Any

import msgspec

from weft.settings.units import Unit


class Group(StrEnum):
    """Subjects, in the order in which the help shows them."""

    STOP = "When to stop"
    VISIT = "What to visit"
    MANNERS = "Manners"
    NETWORK = "Network and machine"
    OUTPUT = "Output"
    FILES = "Files of a mirror"
    FINE = "Fine tuning"


class Kind(Enum):
    """What a value is, in words for the person who gave another."""

    WHOLE = "a whole number"
    NUMBER = "a number"
    TEXT = "a text"
    SWITCH = "true or false"
    LIST = "a text, or a list of texts"
    TABLES = "tables of settings by host"


_UNITS = {"TIME": Unit.TIME, "SIZE": Unit.SIZE}


class Setting(msgspec.Struct, frozen=True):
    """One setting. The first part is declared; the second follows from the field of CrawlConfig that it stands at."""

    group: str
    metavar: str
    help: str
    name: str = ""  # of the flag; empty: as the field
    short: str = ""
    # What decides which URLs belong to a crawl cannot be changed when it goes on: its queue is made by it.
    on_resume: bool = True
    default_text: str = ""  # where the default depends, or is better written with a unit
    commas: bool = True  # in the environment commas separate entries; not where an entry may contain one
    splits: bool = False  # they do so in a flag and in a file, too
    was: tuple[str, ...] = ()  # names that are gone, and meant this
    alone: str = ""  # what the flag means without a value; empty: it needs one
    secret: bool = False  # it may hold a password: no message shows its value
    pair: Callable[[str], tuple[str, str]] | None = None  # the pair that an entry of a list means, if it is one

    field: str | None = None  # None: it concerns the command and not the crawl
    kind: Kind = Kind.TEXT
    default: Any = None
    at_least: float | None = None
    choices: tuple[str, ...] = ()

    @property
    def keyword(self) -> str:
        """The name as Python writes it: `with_` for what is a word of its own there."""
        return self.name.replace("-", "_") + "_" * iskeyword(self.name)

    @property
    def variable(self) -> str:
        """The name in the environment."""
        return f"WEFT_{self.name.replace('-', '_').upper()}"

    def now(self, old: str, written: str, way: str = "{} {}") -> str:
        """How to say what an old name meant; `written` is this setting's name there, `way` puts a value to it."""
        return way.format(written, old) if old in self.choices else written

    @property
    def names_code(self) -> bool:
        """Whether it holds import paths: a program may give the function, or class, itself."""
        return self.metavar.endswith("MODULE:NAME")

    @property
    def unit(self) -> Unit | None:
        """Of a number that may be written with one."""
        return _UNITS.get(self.metavar)
