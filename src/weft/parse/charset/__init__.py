"""From bytes to text. `policy` says which charset a page is written in, and the others help it decide.

| file | question |
|---|---|
| `labels` | what do the header and the markup say? |
| `errors` | does the text decode, but for a few broken bytes? |
| `readings` | does it read like the language that such pages are in? |
| `guess` | what do the bytes say when nobody else does? |
"""

from __future__ import annotations

from weft.parse.charset.policy import decode

__all__ = ["decode"]
