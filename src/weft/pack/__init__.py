"""A folder in one file, to be carried one way into a network that is cut off, and checked there without a network.

    weft pack DIR out.zip       folder → walk → writer (members) → manifest → signature → out.zip
    weft verify out.zip         reader: ends, list, manifest, then each file beside the manifest
    weft unpack out.zip DIR     the same into a folder that nobody sees, then into its place

A pack is an ordinary zip file: `unzip` opens it. Behind the files, sorted by name, stand `.weft/manifest.jsonl` and the
signatures of it; so what `unzip` makes of a whole pack is a folder that `weft verify` can check. The reader is
stricter than `unzip`: it makes each header again from what it should say and compares all bytes, and every member must
begin where the one before ends. So nothing overlaps, and there is no byte in a pack that nobody looks at (but for the
bits that fill the last byte of packed content, on which nothing depends).

The manifest lists the whole state, sorted, also in a pack of changes (`--since`): the signature tells of all files, and
any pack may be the one since which the next tells. Lists are read side by side, none is held in memory; what is held
is the names of the folders on the way to the file at hand.

| file | |
|---|---|
| `names` | which names may be carried |
| `manifest` | what the manifest says, reading it and joining it with a folder |
| `media_types` | types by extension; which are worth packing |
| `zip_format` | the bytes of zip headers, both ways |
| `walk` | the files of a folder in order |
| `writer`, `reader` | the zip file |
| `signing` | ssh-keygen and minisign |
| `make`, `check`, `place` | the three commands: pack, verify, unpack |
"""

from __future__ import annotations

from weft.pack.check import Verdict, verify_folder, verify_pack
from weft.pack.damage import DamagedPack
from weft.pack.make import Packed, Wanted, pack_folder
from weft.pack.place import Unpacked, unpack
from weft.pack.signing import Trust

__all__ = [
    "DamagedPack",
    "Packed",
    "Trust",
    "Unpacked",
    "Verdict",
    "Wanted",
    "pack_folder",
    "unpack",
    "verify_folder",
    "verify_pack",
]
