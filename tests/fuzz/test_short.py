"""Every property, with a few inputs; `make torture` tries many more."""

from __future__ import annotations

import pytest

from tests.fuzz import ALL_PROPERTIES, Property

EXAMPLES = 60


@pytest.mark.parametrize("rule", ALL_PROPERTIES, ids=lambda rule: rule.name)
def test_it_holds_for_a_few_inputs(rule: Property) -> None:
    rule.try_out(EXAMPLES, number=1)
