"""What must hold for any input at all, whoever sends it.

A `Property` is a rule with a way to make inputs for it. `make test` tries each with a few inputs (test_short.py),
`make torture` for as long as it is given (tests/torture/fuzz.py). What either has ever found is in test_found.py.
"""

from __future__ import annotations

from tests.fuzz.archives import ARCHIVE_PROPERTIES
from tests.fuzz.pages import PAGE_PROPERTIES
from tests.fuzz.properties import Property
from tests.fuzz.responses import RESPONSE_PROPERTIES
from tests.fuzz.settings import SETTING_PROPERTIES
from tests.fuzz.urls import URL_PROPERTIES

ALL_PROPERTIES: tuple[Property, ...] = (
    *URL_PROPERTIES,
    *RESPONSE_PROPERTIES,
    *PAGE_PROPERTIES,
    *ARCHIVE_PROPERTIES,
    *SETTING_PROPERTIES,
)

__all__ = ["ALL_PROPERTIES", "Property"]
