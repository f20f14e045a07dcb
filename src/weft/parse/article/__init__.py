"""What a page is about: its main content, told from what stands around it."""

from __future__ import annotations

from weft.parse.article.choice import article_of

__all__ = ["article_of"]
