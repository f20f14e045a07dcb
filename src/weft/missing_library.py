"""A library that is not installed: what to type, for the Python that runs."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path


def how_to_install(*distributions: str) -> str:
    """A command that works in whatever shell: a bare `pip` may be another Python's, and this one may have none.

    The libraries themselves, not an extra of weft: the package index has another project of that name.
    """
    names = " ".join(f"'{name}'" if "[" in name else name for name in distributions)
    if find_spec("pip") is not None:
        return f"{sys.executable} -m pip install {names}"
    return f"{Path(sys.base_prefix, 'bin', 'python3')} -m pip --python {sys.executable} install {names}"
