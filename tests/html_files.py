"""Pages in files: of the documentation that a machine happens to have, or of any folder."""

from __future__ import annotations

import random
from collections.abc import Iterable
from pathlib import Path


def html_files(folder: Path) -> list[Path]:
    """The pages below a folder, in order. Debian's documentation has folders of such names, and links to nothing."""
    return sorted(path for path in folder.rglob("*.html") if path.is_file())


def some_html_files(folders: Iterable[Path], count: int) -> tuple[Path, list[Path]] | None:
    """The first of these folders that has pages, and some of them, always the same; None if none has any."""
    for folder in folders:
        if files := html_files(folder):
            return folder, random.Random(1).sample(files, min(count, len(files)))
    return None
