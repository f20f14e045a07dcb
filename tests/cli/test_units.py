"""Times and sizes as people write them."""

from __future__ import annotations

from pathlib import Path

import pytest

from weft.cli.settings import BY_NAME, SETTINGS
from weft.cli.sources import effective
from weft.errors import BadInput
from weft.settings.setting import Kind
from weft.settings.units import Unit, measured
from weft.settings.values import read_text

TIMES = {"500ms": 0.5, "90s": 90, "5m": 300, "5min": 300, "1.5h": 5400, "2 h": 7200, "1d": 86_400}
SIZES = {
    "10k": 10_000,
    "10K": 10_000,
    "10M": 10_000_000,
    "10MB": 10_000_000,
    "1.5G": 1_500_000_000,
    "2T": 2 * 10**12,
    "512B": 512,
    "64Ki": 65_536,
    "64KiB": 65_536,
    "1Mi": 2**20,
    "1Gi": 2**30,
    "1Ti": 2**40,
}


@pytest.mark.parametrize(("text", "seconds"), TIMES.items())
def test_a_time_has_a_unit(text: str, seconds: float) -> None:
    assert measured(text, Unit.TIME) == pytest.approx(seconds)


@pytest.mark.parametrize(("text", "size_bytes"), SIZES.items())
def test_a_size_has_a_unit(text: str, size_bytes: int) -> None:
    assert measured(text, Unit.SIZE) == size_bytes
    assert read_text(BY_NAME["max-body"], text, "--max-body") == size_bytes


@pytest.mark.parametrize("unit", Unit)
@pytest.mark.parametrize("text", ["", "h", "1x", "-1h", "1e3k", "1h2", "١h", "1.h", "M1", "inf h"])
def test_what_is_neither_is_refused(text: str, unit: Unit) -> None:
    assert measured(text, unit) is None


@pytest.mark.parametrize("text", ["0", "", "1h", "0.1B", "many", "-1"])
def test_a_flag_s_size_is_at_least_a_byte(text: str) -> None:
    with pytest.raises(BadInput, match="10M"):
        read_text(BY_NAME["max-body"], text, "--max-body")


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("max-time", "1h", 3600.0),
        ("delay", "500ms", 0.5),
        ("max-host-wait", "2d", 172_800.0),
        ("max-bytes", "10M", 10_000_000),
        ("max-body", "1Gi", 2**30),
        ("bandwidth", "5M", 5_000_000.0),
        ("delay", "2", 2.0),
        ("max-bytes", "10", 10),
    ],
)
def test_flag_environment_and_file_understand_the_same(name: str, text: str, value: float, tmp_path: Path) -> None:
    setting = BY_NAME[name]
    file = tmp_path / "weft.toml"
    file.write_text(f'{name} = "{text}"\n' if not text.isdecimal() else f"{name} = {text}\n")
    assert effective({setting.keyword: text}, None, {"XDG_CONFIG_HOME": str(tmp_path / "none")})[name] == value
    assert effective({}, None, {setting.variable: text, "XDG_CONFIG_HOME": str(tmp_path / "none")})[name] == value
    assert effective({}, file, {})[name] == value
    assert type(effective({}, file, {})[name]) is type(value)


def test_a_wrong_unit_is_told_with_those_that_there_are() -> None:
    with pytest.raises(BadInput, match=r"--delay must be a number of at least 0, or with a unit: 500ms.*not '1M'"):
        effective({"delay": "1M"}, None, {})


def test_every_number_of_seconds_or_bytes_has_a_unit() -> None:
    for setting in SETTINGS:
        if setting.kind in (Kind.WHOLE, Kind.NUMBER):
            assert (setting.unit is not None) == (setting.metavar in ("TIME", "SIZE"))
            is_rate = setting.name == "requests-per-address"  # a second, not seconds
            is_time = str(setting.field).endswith("_s") or setting.name == "log-every"
            assert (setting.metavar == "TIME") == (is_time and not is_rate)
