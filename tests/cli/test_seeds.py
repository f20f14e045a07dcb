from __future__ import annotations

from pathlib import Path

from weft.cli.seeds import read_seeds


def test_seeds_are_canonical_and_keep_their_logins(tmp_path: Path) -> None:
    file = tmp_path / "seeds.txt"
    file.write_text("HTTPS://me:secret@A.example\n# a comment\nhttp://b.example#x\n")
    assert read_seeds(["HTTP://C.example"], str(file)) == (
        "http://c.example/",
        "HTTPS://me:secret@A.example",
        "http://b.example/",
    )
