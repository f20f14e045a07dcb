"""The hosts file."""

from __future__ import annotations

from pathlib import Path

from weft.dns import parse_hosts, read_hosts

TEXT = """\
# the usual
127.0.0.1\tlocalhost
::1 localhost ip6-localhost   # both
192.0.2.7   Intern.Example. intern

192.0.2.8 intern
999.1.1.1 wrong
192.0.2.9
nonsense
"""


def test_each_name_of_a_line_gets_its_address() -> None:
    assert parse_hosts(TEXT)["ip6-localhost"] == ("::1",)
    assert parse_hosts(TEXT)["intern.example"] == ("192.0.2.7",)


def test_a_name_on_several_lines_has_all_their_addresses() -> None:
    assert parse_hosts(TEXT)["intern"] == ("192.0.2.7", "192.0.2.8")


def test_ipv4_comes_first() -> None:
    assert parse_hosts("::1 x\n127.0.0.1 x\n::1 x")["x"] == ("127.0.0.1", "::1")


def test_lines_that_are_wrong_are_skipped() -> None:
    assert set(parse_hosts(TEXT)) == {"localhost", "ip6-localhost", "intern.example", "intern"}


def test_a_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "hosts"
    path.write_bytes(b"192.0.2.1 x # \xff\n")
    assert read_hosts(path) == {"x": ("192.0.2.1",)}


def test_a_missing_file_names_nothing(tmp_path: Path) -> None:
    assert read_hosts(tmp_path / "none") == {}
