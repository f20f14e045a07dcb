"""A library that is not installed: what to type, for the Python that runs."""

from __future__ import annotations

import sys


def how_to_install(*distributions: str) -> str:
    """A command. The environment may have no pip of its own, and a bare `pip` may be another Python's."""
    names = " ".join(f"'{name}'" if "[" in name else name for name in distributions)
    return f"python3 -m pip --python {sys.executable} install {names}"
