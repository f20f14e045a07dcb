"""The most specific table wins, setting by setting."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from weft.config import HostTable
from weft.settings.by_host import ByHost

LABELS = st.sampled_from(["a", "b", "shop", "www"])
NAMES = st.lists(LABELS, min_size=1, max_size=4).map(lambda labels: ".".join([*labels, "test"]))
PATTERNS = NAMES | NAMES.map("*.{}".format) | st.just("*") | st.just("*.test")
VALUES = st.fixed_dictionaries(
    {}, optional={"delay_s": st.floats(0, 9), "user_agent": st.sampled_from(["x/1", ""]), "exclude": st.just(("/a",))}
)
TABLES = st.dictionaries(PATTERNS, VALUES, max_size=8)


def means(pattern: str, host: str) -> bool:
    """By the rule as it is told to people."""
    if pattern == "*":
        return True
    name = pattern.removeprefix("*.")
    return host == name or (pattern.startswith("*.") and host.endswith(f".{name}"))


def specificity(pattern: str) -> tuple[bool, int]:
    return not pattern.startswith("*"), len(pattern)


@given(TABLES, NAMES, st.sampled_from(["delay_s", "user_agent", "exclude", "auth"]))
def test_the_most_specific_table_that_names_a_setting_decides_it(
    tables: dict[str, dict[str, Any]], host: str, field: str
) -> None:
    saying = [one for one, values in tables.items() if means(one, host) and field in values]
    expected = tables[max(saying, key=specificity)][field] if saying else None
    by_host = ByHost(HostTable(pattern=pattern, **values) for pattern, values in tables.items())
    assert by_host.value(host, field) == expected
    assert by_host.value(f"{host}.", field) == expected
    chosen = ByHost.saying((HostTable(pattern=one, **values) for one, values in tables.items()), field)
    assert (chosen.value(host, field) if chosen is not None else None) == expected


@given(TABLES, NAMES)
def test_the_tables_of_a_host_are_those_that_mean_it_the_most_specific_first(
    tables: dict[str, dict[str, Any]], host: str
) -> None:
    by_host = ByHost(HostTable(pattern=pattern, **values) for pattern, values in tables.items())
    expected = sorted((one for one in tables if means(one, host)), key=specificity, reverse=True)
    assert [table.pattern for table in by_host.tables_for(host)] == expected


def test_the_name_behind_the_star_is_meant_too_and_the_end_of_another_name_is_not() -> None:
    by_host = ByHost([HostTable(pattern="*.example.org", delay_s=5.0)])
    assert [by_host.value(one, "delay_s") for one in ("example.org", "a.b.example.org")] == [5.0, 5.0]
    assert [by_host.value(one, "delay_s") for one in ("badexample.org", "org", "example.org.evil.test")] == [None] * 3


def test_addresses_are_hosts_of_their_own() -> None:
    by_host = ByHost([HostTable(pattern="127.0.0.2", delay_s=2.0), HostTable(pattern="::1", delay_s=1.0)])
    assert [by_host.value(one, "delay_s") for one in ("127.0.0.2", "127.0.0.1", "::1")] == [2.0, None, 1.0]


def test_tables_that_say_nothing_of_a_setting_are_not_looked_at() -> None:
    tables = [HostTable(pattern="a.test", delay_s=2.0)]
    assert ByHost.saying(tables, "include", "exclude") is None
    assert ByHost.saying((), "delay_s") is None


def test_a_look_up_takes_as_many_steps_as_the_name_has_labels_however_many_tables_there_are() -> None:
    by_host = ByHost(HostTable(pattern=f"*.h{n}.test", delay_s=float(n)) for n in range(10_000))
    looked: list[str] = []

    class Noted(dict[str, HostTable]):
        def get(self, name: str, default: Any = None) -> Any:
            looked.append(name)
            return super().get(name, default)

    by_host._below = Noted(by_host._below)
    assert by_host.value("www.h77.test", "delay_s") == 77.0
    assert looked == ["www.h77.test", "h77.test"]
