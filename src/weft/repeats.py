r"""Groups in regular expressions that are repeated and never give back what they took.

`(?:[^-]++|-(?!->))*+` says so itself, but before Python 3.11.5 it matches wrongly: what the last attempt took before it
failed is not given back. Debian 12 has Python 3.11.2. Possessive single characters, as in `[^-]++`, are right in every
Python, and so are atomic groups. In these a repetition takes some 110 bytes until its group ends, which would be
a gigabyte for a hostile page of 10 MB; so the group ends after a hundred, and another begins.

`tests/test_repeats.py` refuses possessive groups anywhere in weft.
"""

from __future__ import annotations


def repeated(group: str) -> str:
    """The pattern `(?:group)*+`, right in every Python. The group itself must not match the empty string."""
    # The first one stands apart: where there is none, or only one, no repetition has to be set up.
    return rf"(?>(?:{group})(?:(?>(?:{group}){{1,100}}))*|)"
