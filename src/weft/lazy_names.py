"""Names that a package exports without importing them before they are used.

A parse worker wants one function of `weft.fetch`, and not the event loop, TLS and name servers beside it: what it does
not import it need not wait for.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from types import ModuleType


def lazy_names(package: str, home_of: Mapping[str, str]) -> Callable[[str], object]:
    """The `__getattr__` of a package; `home_of` has for each name the module that defines it."""

    def find(name: str) -> object:
        if name not in home_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(home_of[name]), name)

    return find


def make_callable(package: str, home: str) -> None:
    """Let a package be called as the function of its name that `home` defines.

    `weft.clean` is both: Python sets the name to the package whenever that is first imported, be it by weft itself.
    """

    class CallablePackage(ModuleType):
        def __call__(self, *args: object, **keywords: object) -> object:
            return getattr(import_module(home), package.rpartition(".")[2])(*args, **keywords)

    sys.modules[package].__class__ = CallablePackage
