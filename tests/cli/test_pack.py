"""`weft pack`, `weft unpack` and `weft verify` from the command line."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.pack.test_changes import LATER
from tests.pack.trees import SITE, read_tree, write_tree
from tests.pipeline.engine_process import weft_command
from weft.cli.exits import Exit

from .running import Finished, assert_is_one_sentence
from .test_permissions import run_obeying_modes


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A folder with a mirror in it, the same later, and a pack of the first."""
    write_tree(tmp_path / "site", SITE)
    write_tree(tmp_path / "later", LATER)
    assert Finished("pack", "site", "site.zip", "-q", cwd=tmp_path).code == 0
    return tmp_path


def damage(path: Path, name: str) -> None:
    """Flip a byte of the content of a file in a pack."""
    content = bytearray(path.read_bytes())
    content[content.index(name.encode()) + len(name.encode()) + 3] ^= 0xFF
    path.write_bytes(content)


def test_a_mirror_goes_there_and_is_kept_up_to_date_by_changes(home: Path) -> None:
    key = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(home / "key")]
    subprocess.run(key, check=True, timeout=60)
    signed = Finished("pack", "site", "site.zip", "--force", "--sign", "key", cwd=home)
    assert (signed.code, signed.errors) == (0, "")
    assert "5 files" in signed.out
    changes = Finished("pack", "later", "changes.zip", "--since", "site.zip", "--sign", "key", "--json", cwd=home)
    assert (changes.summary()["new"], changes.summary()["changed"], changes.summary()["removed"]) == (1, 2, 1)
    assert changes.summary()["pack_bytes"] == (home / "changes.zip").stat().st_size
    for path, tree in (("site.zip", SITE), ("changes.zip", LATER)):
        verified = Finished("verify", path, "--key", "key.pub", cwd=home)
        assert (verified.code, verified.errors) == (0, "")
        assert 'Good "weft-pack" signature' in verified.out
        assert Finished("unpack", path, "out", "--key", "key.pub", cwd=home).code == 0
        assert read_tree(home / "out") == tree
    unchecked = Finished("unpack", "site.zip", "unchecked", cwd=home)
    assert unchecked.out.endswith("Its signature was not checked: --key does.\n")
    last = Finished("verify", "out", "--json", "--key", "key.pub", cwd=home)
    assert (last.summary()["ok"], last.summary()["files"]) == (True, len(LATER))


@pytest.mark.parametrize("command", [["verify", "site.zip"], ["unpack", "site.zip", "out"]])
def test_a_damaged_pack_is_refused_with_the_name_of_the_file(command: list[str], home: Path) -> None:
    damage(home / "site.zip", "example.org/logo.png")
    done = Finished(*command, cwd=home)
    assert done.code == Exit.DAMAGED
    assert_is_one_sentence(done)
    assert "example.org/logo.png" in done.errors
    assert not (home / "out").exists()


def test_json_has_all_that_differs(home: Path) -> None:
    damage(home / "site.zip", "example.org/logo.png")
    damage(home / "site.zip", "example.org/index.html")
    done = Finished("verify", "site.zip", "--json", cwd=home)
    assert done.code == Exit.DAMAGED
    names = [problem["file"] for problem in done.summary()["problems"]]
    assert names == ["example.org/index.html", "example.org/logo.png"]
    assert "and 1 other" in done.errors


def test_a_folder_that_was_changed_is_told(home: Path) -> None:
    assert Finished("unpack", "site.zip", "out", "-q", cwd=home).code == 0
    (home / "out" / "example.org" / "logo.png").write_bytes(b"")
    done = Finished("verify", "out", cwd=home)
    assert done.code == Exit.DAMAGED
    assert_is_one_sentence(done)
    assert "logo.png" in done.errors


@pytest.mark.parametrize(
    ("arguments", "code", "word"),
    [
        (["pack", "site", "site.zip"], 2, "--force"),
        (["pack", "absent", "x.zip"], 6, "not a folder"),
        (["pack", "site", "absent/x.zip"], 6, "cannot write"),
        (["pack", "site", "x.zip", "--since", "absent.zip"], 2, "cannot read"),
        (["pack", "site", "x.zip", "--sign", "absent"], 2, "cannot read"),
        (["pack", "site", "site/x.zip"], 2, "elsewhere"),
        (["pack", "crawl", "x.zip"], 2, "--to wacz"),
        (["verify", "absent"], 2, "cannot read"),
        (["verify", "site"], 6, "no folder that was unpacked"),
        (["verify", "key"], Exit.DAMAGED, "no pack"),
        (["verify", "site.zip", "--key", "key"], 2, "no key"),
        (["verify", "site.zip", "--key", "key", "--allowed-signers", "key"], 2, "one of them"),
        (["unpack", "site.zip", "site"], 2, "not empty"),
        (["unpack", "site.zip", "key"], 2, "is a file"),
    ],
)
def test_what_cannot_be_is_told_in_one_sentence(arguments: list[str], code: int, word: str, home: Path) -> None:
    write_tree(home / "crawl", {"state/config.json": b"{}", "archive/x.warc.gz": b""})
    (home / "key").write_text("rubbish")
    before = sorted(home.rglob("*"))
    done = Finished(*arguments, cwd=home)
    assert done.code == code
    assert_is_one_sentence(done)
    assert word in done.errors
    assert sorted(home.rglob("*")) == before


def test_changes_for_another_state_are_refused(home: Path) -> None:
    assert Finished("pack", "later", "changes.zip", "--since", "site.zip", "-q", cwd=home).code == 0
    done = Finished("unpack", "changes.zip", "later", cwd=home)
    assert done.code == 6
    assert_is_one_sentence(done)
    assert read_tree(home / "later") == LATER


def test_a_file_that_may_not_be_read_is_named(home: Path) -> None:
    (home / "site" / "example.org" / "logo.png").chmod(0)
    done = run_obeying_modes(weft_command("pack", "site", "x.zip"), home)
    assert done.returncode == 6
    assert "logo.png" in done.stderr


def test_json_of_a_pack_is_one_object(home: Path) -> None:
    done = Finished("pack", "site", "x.zip", "--json", "--source", "https://example.org/", cwd=home)
    assert json.loads(done.out)["sources"] == ["https://example.org/"]
