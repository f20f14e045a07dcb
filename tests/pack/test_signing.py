"""Signatures by ssh keys and by minisign, as these tools make and read them."""

from __future__ import annotations

import subprocess
import zipfile
from pathlib import Path

import pytest

from weft.errors import BadInput
from weft.pack import DamagedPack, Trust, unpack, verify_folder, verify_pack

from .test_changes import LATER
from .trees import pack, packed_site, quietly, read_tree, write_tree

TOOLS = ["ssh", "minisign"]


def new_key(tool: str, home: Path, name: str) -> tuple[Path, Path]:
    """A secret key and its public one."""
    secret, public = home / name, home / f"{name}.pub"
    if tool == "ssh":
        command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", str(secret)]
    else:
        command = ["minisign", "-G", "-W", "-p", str(public), "-s", str(secret)]
    subprocess.run(command, check=True, capture_output=True, timeout=60)
    return secret, public


@pytest.mark.parametrize("tool", TOOLS)
def test_a_signed_pack_is_accepted_with_its_key_and_refused_with_another(tool: str, tmp_path: Path) -> None:
    secret, public = new_key(tool, tmp_path, "mine")
    _, other = new_key(tool, tmp_path, "other")
    path = packed_site(tmp_path, signing_key=secret)
    assert verify_pack(path, Trust(key=public), quietly).signed_by
    with pytest.raises(DamagedPack, match="not a signature of this manifest by a key that is trusted"):
        verify_pack(path, Trust(key=other), quietly)
    with pytest.raises(DamagedPack, match="trusted"):
        unpack(path, tmp_path / "out", Trust(key=other), quietly)
    assert not (tmp_path / "out").exists()
    unpack(path, tmp_path / "out", Trust(key=public), quietly)
    assert verify_folder(tmp_path / "out", Trust(key=public), quietly).signed_by


@pytest.mark.parametrize("tool", TOOLS)
def test_a_signature_tells_of_the_whole_folder_also_after_changes(tool: str, tmp_path: Path) -> None:
    secret, public = new_key(tool, tmp_path, "mine")
    first = packed_site(tmp_path, signing_key=secret)
    changes = tmp_path / "changes.zip"
    pack(write_tree(tmp_path / "later", LATER), changes, since=first, signing_key=secret)
    unpack(first, tmp_path / "out", Trust(key=public), quietly)
    unpack(changes, tmp_path / "out", Trust(key=public), quietly)
    verdict = verify_folder(tmp_path / "out", Trust(key=public), quietly)
    assert verdict.is_sound
    assert read_tree(tmp_path / "out") == LATER


@pytest.mark.parametrize("tool", TOOLS)
def test_a_manifest_that_was_changed_has_no_signature(tool: str, tmp_path: Path) -> None:
    """Whoever changes a file and its checksum with it is found out by the key alone."""
    secret, public = new_key(tool, tmp_path, "mine")
    unpack(packed_site(tmp_path, signing_key=secret), tmp_path / "out", Trust(), quietly)
    manifest = tmp_path / "out" / ".weft" / "manifest.jsonl"
    manifest.write_bytes(manifest.read_bytes().replace(b"image/png", b"image/gif"))
    assert verify_folder(tmp_path / "out", Trust(), quietly).is_sound
    with pytest.raises(DamagedPack, match="trusted"):
        verify_folder(tmp_path / "out", Trust(key=public), quietly)


def test_a_pack_without_a_signature_is_refused_where_one_is_asked_for(tmp_path: Path) -> None:
    _, public = new_key("ssh", tmp_path, "mine")
    with pytest.raises(DamagedPack, match=r"manifest\.jsonl\.sig: it is not there"):
        verify_pack(packed_site(tmp_path), Trust(key=public), quietly)


def test_ssh_keygen_itself_accepts_the_signature(tmp_path: Path) -> None:
    secret, public = new_key("ssh", tmp_path, "mine")
    with zipfile.ZipFile(packed_site(tmp_path, signing_key=secret)) as package:
        package.extractall(tmp_path / "out")
    (tmp_path / "allowed").write_text(f"me@example.org {public.read_text()}")
    manifest = tmp_path / "out" / ".weft" / "manifest.jsonl"
    asked = ["-Y", "verify", "-f", str(tmp_path / "allowed"), "-I", "me@example.org", "-n", "weft-pack"]
    command = ["ssh-keygen", *asked, "-s", f"{manifest}.sig"]
    done = subprocess.run(command, input=manifest.read_bytes(), capture_output=True, timeout=60, check=False)
    assert done.returncode == 0


def test_one_of_several_allowed_signers_is_told_by_name(tmp_path: Path) -> None:
    secret, public = new_key("ssh", tmp_path, "mine")
    _, other = new_key("ssh", tmp_path, "other")
    path = packed_site(tmp_path, signing_key=secret)
    allowed = tmp_path / "allowed"
    allowed.write_text(f"# who may\nyou@example.org {other.read_text()}me@example.org {public.read_text()}")
    assert "me@example.org" in verify_pack(path, Trust(allowed_signers=allowed), quietly).signed_by
    allowed.write_text(f"you@example.org {other.read_text()}")
    with pytest.raises(DamagedPack, match="trusted"):
        verify_pack(path, Trust(allowed_signers=allowed), quietly)


def test_a_signature_for_another_purpose_does_not_count(tmp_path: Path) -> None:
    secret, public = new_key("ssh", tmp_path, "mine")
    unpack(packed_site(tmp_path, signing_key=secret), tmp_path / "out", Trust(), quietly)
    manifest = tmp_path / "out" / ".weft" / "manifest.jsonl"
    Path(f"{manifest}.sig").unlink()
    command = ["ssh-keygen", "-Y", "sign", "-f", str(secret), "-n", "email", str(manifest)]
    subprocess.run(command, check=True, capture_output=True, timeout=60)
    with pytest.raises(DamagedPack, match="trusted"):
        verify_folder(tmp_path / "out", Trust(key=public), quietly)


def test_a_key_that_is_none_is_told(tmp_path: Path) -> None:
    secret, _ = new_key("ssh", tmp_path, "mine")
    path = packed_site(tmp_path)
    (tmp_path / "rubbish").write_text("hello\n")
    (tmp_path / "nothing").write_text("\n")
    for key, word in (("rubbish", "no key"), ("nothing", "empty"), ("absent", "cannot read"), (secret.name, "private")):
        with pytest.raises(BadInput, match=word):
            verify_pack(path, Trust(key=tmp_path / key), quietly)
    with pytest.raises(BadInput, match="no key"):
        pack(tmp_path / "site", tmp_path / "out.zip", signing_key=tmp_path / "rubbish")
    assert not (tmp_path / "out.zip").exists()
