"""What stands on many pages of each site, for a job that makes articles: `pages.jsonl.templates`.

It is learnt once, before the first page is cleaned, and kept beside the output: a job that goes on makes its articles
as it made the others, also if the crawl has grown meanwhile. The file goes when the output is whole.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec

from weft.errors import told_in_words
from weft.export.selection import Selection
from weft.export.site_templates import learn_templates
from weft.folder.reading import CrawlReader
from weft.whole_file import appearing_whole

SUFFIX = ".templates"

Templates = dict[str, dict[int, float]]  # by host

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Templates).decode


class TemplateFile:
    """The templates of one job."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def load_or_learn(self, reader: CrawlReader, is_stopping: Callable[[], bool]) -> Templates:
        """What the job began with. If it is stopped while it learns, none, and nothing is kept."""
        with told_in_words(self._path):
            if self._path.exists():
                return _decode(self._path.read_bytes())
            learnt = learn_templates(reader, Selection(), is_stopping)
            if is_stopping():
                return {}
            with appearing_whole(self._path) as out:
                out.write(_encode(learnt))
            return learnt
