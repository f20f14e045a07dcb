"""weft: a web crawler, polite, complete, crash-proof and fast."""

from weft._version import __version__

__all__ = ["__version__"]
