"""Names that a package exports without importing them before they are used.

A parse worker wants one function of `weft.fetch`, and not the event loop, TLS and name servers beside it: what it does
not import it need not wait for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module


def lazy_names(package: str, home_of: Mapping[str, str]) -> Callable[[str], object]:
    """The `__getattr__` of a package; `home_of` has for each name the module that defines it."""

    def find(name: str) -> object:
        if name not in home_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(home_of[name]), name)

    return find
