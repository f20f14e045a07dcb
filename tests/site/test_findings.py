"""The kinds of findings, and how a person names them."""

from __future__ import annotations

import pytest

from weft.errors import BadInput
from weft.site.findings import TITLES, FindingKind, kinds_named, severity_of


def test_a_kind_is_named_by_itself_by_its_group_or_by_its_severity() -> None:
    assert kinds_named("broken-link") == {FindingKind.BROKEN_LINK}
    assert kinds_named("broken, mixed") == {
        FindingKind.BROKEN_LINK,
        FindingKind.BROKEN_EXTERNAL,
        FindingKind.MIXED_CONTENT,
    }
    assert FindingKind.BROKEN_LINK in kinds_named("errors")
    assert FindingKind.DEEP_PAGE not in kinds_named("error,warning")
    assert kinds_named("any") == set(FindingKind)


@pytest.mark.parametrize("names", ["", "broke", "broken,,mixed", "link"])
def test_what_names_no_kind_is_refused(names: str) -> None:
    with pytest.raises(BadInput, match="no kind of finding"):
        kinds_named(names)


def test_each_kind_has_a_title_and_a_severity() -> None:
    assert TITLES.keys() == set(FindingKind)
    assert all(severity_of(kind) for kind in FindingKind)
