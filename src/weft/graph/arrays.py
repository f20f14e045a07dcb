"""numpy and scipy, an extra: whatever computes on the link graph needs them, and a crawl does not."""

from __future__ import annotations

from weft.errors import BadInput
from weft.missing_library import how_to_install


def refuse_without_arrays() -> None:
    """Raise BadInput if they are not there; asked before `links` or `ranks` is imported."""
    try:
        import numpy
        import scipy  # noqa: F401
    except ImportError as error:
        raise BadInput(
            f"the link graph is read by numpy and scipy, which are not there: {how_to_install('numpy', 'scipy')}"
        ) from error
    del numpy
