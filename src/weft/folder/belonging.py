"""Whose a crawl folder is: a node of a cluster has one that holds its part of a crawl."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import msgspec

from weft.errors import FolderError

NODE_FILE: Final = "node.json"  # in state/


class Belonging(msgspec.Struct, frozen=True):
    """Of which crawl and node a folder is."""

    crawl: str
    crawl_id: str
    node: str
    folder: str


def belonging_of(path: Path) -> Belonging | None:
    """Of which crawl and node a folder is; None: of none yet."""
    try:
        return msgspec.json.decode((path / "state" / NODE_FILE).read_bytes(), type=Belonging)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise FolderError(f"cannot use {path}: {error.strerror or error}") from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise FolderError(f"cannot read whose folder {path} is: {error}") from error
