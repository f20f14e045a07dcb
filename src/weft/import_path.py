"""A user's own code, named by its import path."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from weft.errors import BadInput


def load(path: str, what: str) -> Any:
    """What `package.module:Name` names; `what` says in errors what it should be: "the filter"."""
    module_name, _, name = path.partition(":")
    if not module_name or not name:
        raise BadInput(f"{what} {path!r} must be named as package.module:Name")
    try:
        found: Any = import_module(module_name)
    except (ImportError, SyntaxError, ValueError, TypeError) as error:  # the last two: names such as "..x"
        raise BadInput(f"the module of {what} {path!r} cannot be imported: {error}") from error
    for part in name.split("."):
        try:
            found = getattr(found, part)
        except AttributeError:
            raise BadInput(f"the module {module_name!r} has no {name!r}") from None
    return found
