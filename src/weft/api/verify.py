"""`weft.verify`: whether a pack, or a folder made from one, is what its manifest says."""

from __future__ import annotations

from pathlib import Path

from weft.errors import BadInput
from weft.logs import logger
from weft.pack.check import Verdict, verify_folder, verify_pack
from weft.pack.damage import DamagedPack
from weft.pack.signing import Trust

__all__ = ["DamagedPack", "Verdict", "verify"]

_log = logger("pack")


def verify(path: str | Path, *, key: str | Path | None = None, allowed_signers: str | Path | None = None) -> Verdict:
    """Compare each file of a pack, or of a folder made from one, with its manifest, and see who signed that.

    `weft.DamagedPack` names the first file that differs. With `key`, a public key, or `allowed_signers`, a file of
    ssh's, a signature must be there that they know.
    """
    if key and allowed_signers:
        raise BadInput("key and allowed_signers cannot both be meant: give one of them")
    trust = Trust(Path(key) if key else None, Path(allowed_signers) if allowed_signers else None)
    where = Path(path)
    try:
        verdict = (verify_folder if where.is_dir() else verify_pack)(where, trust, lambda done: None)
        if verdict.problems:
            first, others = verdict.problems[0], len(verdict.problems) - 1
            raise DamagedPack(first.file, first.what + (f" (and {others:,} other files)" if others else ""))
    except DamagedPack as damage:
        _log.error("%s is damaged: %s", where, damage)
        raise
    return verdict
