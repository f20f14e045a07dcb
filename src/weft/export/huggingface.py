"""A folder as Hugging Face's `datasets` and its hub read one: Parquet shards under `data`, and a data card.

    FOLDER/README.md                    what is in it: `data_card`
    FOLDER/data/train-00001.parquet     the rows of --to parquet, 2xx pages only

The folder may hold other things, a `.git` for one: they stay. Shards are written in `FOLDER/.data.part`, which becomes
`data` when they are whole.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import BinaryIO, Final

import msgspec

from weft.crash_points import crash_point
from weft.errors import BadInput, told_in_words
from weft.export.data_card import data_card
from weft.export.format import FORMS, WITH_FORMS, Advance, Format, Source
from weft.export.parquet import parquet_schema, write_parquet_shards
from weft.export.selection import SUCCESS
from weft.export.shards import Shards
from weft.regex import regex
from weft.state import sync_path
from weft.whole_file import appearing_whole

SHARD_BYTES: Final = 500_000_000  # as the hub recommends
SPLIT: Final = "train"  # what `datasets` calls all of it
_LICENSE: Final = regex(r"^license:.*$", re.MULTILINE)


def write_folder(source: Source, path: Path, advance: Advance, force: bool) -> None:
    """Shards and card; what was there of them is replaced with `force`."""
    data, card = path / "data", path / "README.md"
    hidden, old = path / ".data.part", path / ".data.old"
    _put_back(old, data)  # of a process that was killed
    if path.exists() and not path.is_dir():
        raise BadInput(f"{path} is a file: --to huggingface writes a folder")
    there = next((one for one in (data, card) if one.exists()), None)
    if there is not None and not force:
        raise BadInput(f"{there} is there already; --force replaces it")
    source = msgspec.structs.replace(source, shard_bytes=source.shard_bytes or SHARD_BYTES)
    schema = parquet_schema(source)  # says that pyarrow is missing before pages are read in vain
    with told_in_words(path):
        for left in (hidden, old):
            shutil.rmtree(left, ignore_errors=True)  # of a process that was killed
        hidden.mkdir(parents=True)
        try:
            shards = Shards(hidden, SPLIT, ".parquet", source.shard_bytes or SHARD_BYTES)
            try:
                write_parquet_shards(source, shards, advance)
            finally:
                shards.close()
            sizes = [one.stat().st_size for one in shards.paths]
            license_line = _license_in(card)
            if data.exists():
                data.rename(old)
                crash_point("shards-aside")
            hidden.rename(data)
        finally:
            _put_back(old, data)
            for left in (hidden, old):
                shutil.rmtree(left, ignore_errors=True)
        crash_point("shard-moved")
        sync_path(path)
        with appearing_whole(card) as out:
            out.write(data_card(source, schema, sizes, license_line).encode())


def _put_back(old: Path, data: Path) -> None:
    """Earlier shards get their name back if no others have it: they are all that there is."""
    if old.exists() and not data.exists():
        old.rename(data)


def _license_in(card: Path) -> str:
    """What the user filled in, which a later export must not undo."""
    found = _LICENSE.search(card.read_text(errors="replace")) if card.is_file() else None
    return found[0] if found else ""


def _write(source: Source, out: BinaryIO, advance: Advance) -> None:
    raise BadInput("--to huggingface writes a folder: -o FOLDER")


HUGGINGFACE = Format(
    "huggingface",
    "huggingface",
    _write,
    WITH_FORMS | {"shard_size"},
    FORMS,
    (SUCCESS,),
    needs_archive=True,
    write_named=write_folder,
)
