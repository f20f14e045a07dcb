"""Signatures of a manifest, made and checked by the tools that people have: ssh-keygen and minisign.

| key | made by | signature in the pack |
|---|---|---|
| of ssh | `ssh-keygen -Y sign -n weft-pack` | `.weft/manifest.jsonl.sig` |
| of minisign | `minisign -S` | `.weft/manifest.jsonl.minisig` |

The namespace says what the signature is for: one that was made for an e-mail does not fit.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import IO, Final

import msgspec

from weft.errors import BadInput
from weft.pack.damage import DamagedPack
from weft.pack.manifest import Manifest
from weft.pack.names import MANIFEST

NAMESPACE: Final = "weft-pack"
MAX_SIGNATURE_BYTES: Final = 1 << 16
_MAX_KEY_BYTES: Final = 1 << 20

_SSH_PRIVATE = b"PRIVATE KEY-----"
_SSH_PUBLIC = (b"ssh-", b"ecdsa-", b"sk-ssh-", b"sk-ecdsa-")
_MINISIGN_COMMENT = b"untrusted comment:"


class Tool(StrEnum):
    """Who signs."""

    SSH = "ssh-keygen"
    MINISIGN = "minisign"


SIGNATURES: Final = {Tool.SSH: f"{MANIFEST}.sig", Tool.MINISIGN: f"{MANIFEST}.minisig"}


class Trust(msgspec.Struct, frozen=True):
    """Whose signature is asked for: one public key, or a file of ssh's allowed signers."""

    key: Path | None = None
    allowed_signers: Path | None = None

    def __bool__(self) -> bool:
        return bool(self.key or self.allowed_signers)


def sign(manifest: IO[bytes], key: Path) -> tuple[str, bytes]:
    """Sign the manifest with a secret key, or with ssh's agent and a public key; the signature's name and bytes."""
    tool = _tool_of_key(key, is_secret=True)
    manifest.seek(0)
    with tempfile.TemporaryDirectory(prefix="weft-") as folder:
        if tool is Tool.SSH:
            done = _run(tool, "-Y", "sign", "-f", str(key), "-n", NAMESPACE, stdin=manifest)
            signature = done.stdout
        else:
            out = Path(folder) / "signature"
            comment = "a weft pack"
            copy = _on_disk(manifest, Path(folder))
            done = _run(tool, "-S", "-s", str(key), "-m", str(copy), "-x", str(out), "-t", comment)
            signature = out.read_bytes() if out.is_file() else b""
    if done.returncode or not signature:
        raise BadInput(f"{key} cannot be used for signing: {_last_line(done)}")
    return SIGNATURES[tool], signature


def check_signature(manifest: Manifest, signatures: dict[str, bytes], trust: Trust) -> str:
    """Who signed, as the tool tells it; DamagedPack when it is not who is asked for."""
    tool = _tool_of_key(trust.key, is_secret=False) if trust.key else Tool.SSH
    name = SIGNATURES[tool]
    if name not in signatures:
        raise DamagedPack(name, "it is not there: no such signature was made, or it was removed")
    with tempfile.TemporaryDirectory(prefix="weft-") as folder:
        signature = Path(folder) / "signature"
        signature.write_bytes(signatures[name])
        if tool is Tool.MINISIGN:
            return _check_by_minisign(manifest, signature, trust)
        return _check_by_ssh(manifest, signature, trust)


def _check_by_ssh(manifest: Manifest, signature: Path, trust: Trust) -> str:
    allowed = trust.allowed_signers
    if trust.key:
        allowed = signature.with_name("allowed")
        allowed.write_bytes(b"".join(b'* namespaces="weft-pack" %s\n' % line for line in _lines_of(trust.key)))
    assert allowed is not None
    _lines_of(allowed)
    who = _run(Tool.SSH, "-Y", "find-principals", "-s", str(signature), "-f", str(allowed))
    said = _last_line(who)
    # With a key alone any name fits; with a file the names that stand beside the key.
    for name in ["signer"] if trust.key else who.stdout.decode("utf-8", "replace").splitlines():
        asked = ("-Y", "verify", "-f", str(allowed), "-I", name, "-n", NAMESPACE, "-s", str(signature))
        done = _run(Tool.SSH, *asked, stdin=manifest.file)
        said = _last_line(done)
        if not done.returncode:
            return said
    raise DamagedPack(SIGNATURES[Tool.SSH], f"it is not a signature of this manifest by a key that is trusted ({said})")


def _check_by_minisign(manifest: Manifest, signature: Path, trust: Trust) -> str:
    copy = _on_disk(manifest.file, signature.parent)
    done = _run(Tool.MINISIGN, "-V", "-p", str(trust.key), "-m", str(copy), "-x", str(signature))
    if done.returncode:
        why = f"it is not a signature of this manifest by a key that is trusted ({_last_line(done)})"
        raise DamagedPack(SIGNATURES[Tool.MINISIGN], why)
    return f"minisign key {_lines_of(trust.key)[-1].decode()}" if trust.key else ""


def _on_disk(manifest: IO[bytes], folder: Path) -> Path:
    """A copy with a name: minisign reads no standard input."""
    copy = folder / "manifest"
    with copy.open("wb") as out:
        shutil.copyfileobj(manifest, out)
    return copy


def _tool_of_key(key: Path, *, is_secret: bool) -> Tool:
    lines = _lines_of(key)
    if lines[0].startswith(_MINISIGN_COMMENT):
        if (b"secret key" in lines[0]) != is_secret:
            wanted = "a secret key" if is_secret else "a public key"
            raise BadInput(f"{key} is not {wanted} of minisign, which is wanted here")
        return Tool.MINISIGN
    if lines[0].endswith(_SSH_PRIVATE):
        if not is_secret:
            raise BadInput(f"{key} is a private key: name the public one, {key}.pub")
        return Tool.SSH
    if lines[0].startswith(_SSH_PUBLIC):
        return Tool.SSH
    raise BadInput(f"{key} is no key of ssh, nor one of minisign")


def _lines_of(key: Path) -> list[bytes]:
    try:
        with key.open("rb") as file:
            lines = file.read(_MAX_KEY_BYTES).split(b"\n")
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError) as error:
        raise BadInput(f"cannot read {key}: {error.strerror}") from error
    stripped = [line.strip() for line in lines if line.strip() and not line.startswith(b"#")]
    if not stripped:
        raise BadInput(f"{key} is empty: it has no key")
    return stripped


def _run(tool: Tool, *arguments: str, stdin: IO[bytes] | None = None) -> subprocess.CompletedProcess[bytes]:
    try:
        with _from_its_beginning(stdin):
            # minisign asks for a password where it writes; so a person must see that.
            said = sys.stderr.fileno() if tool is Tool.MINISIGN and sys.stdin.isatty() else subprocess.PIPE
            return subprocess.run([tool.value, *arguments], stdin=stdin, stdout=said, stderr=said, check=False)
    except FileNotFoundError:
        raise BadInput(f"{tool} is not installed, and this key needs it") from None


@contextmanager
def _from_its_beginning(file: IO[bytes] | None) -> Iterator[None]:
    """Let a child read a file of ours: it shares the system's place in it, which is not the one that Python tells."""
    if file is None:
        yield
        return
    file.flush()
    place = os.lseek(file.fileno(), 0, os.SEEK_CUR)
    os.lseek(file.fileno(), 0, os.SEEK_SET)
    try:
        yield
    finally:
        os.lseek(file.fileno(), place, os.SEEK_SET)


def _last_line(done: subprocess.CompletedProcess[bytes]) -> str:
    lines = ((done.stderr or b"") + b"\n" + (done.stdout or b"")).decode("utf-8", "replace").splitlines()
    said = [line.strip() for line in lines if line.strip()]
    return said[-1] if said else f"{done.args[0]} says nothing"
