"""The loggers of weft, all below the name `weft`.

The library logs and leaves it to the program who hears of it: without a handler, nobody. `weft crawl` has one
(`cli.log`); docs/operate.md lists the names.
"""

from __future__ import annotations

import logging

logging.getLogger("weft").addHandler(logging.NullHandler())


def logger(subject: str) -> logging.Logger:
    """The logger of a subject: `hosts` is `weft.hosts`."""
    return logging.getLogger(f"weft.{subject}")
