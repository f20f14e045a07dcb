"""`weft.read`: the pages of a crawl folder, or of several."""

from __future__ import annotations

from collections.abc import Iterator

from weft.folder.readings import Folders, open_reader, paths_of
from weft.page import Page


def read(folder: Folders) -> Iterator[Page]:
    """The pages of a crawl folder, or of a mirror (responses with a 2xx status), also while its crawl runs.

    A list of folders: those of the nodes of one cluster's crawl.
    """
    with open_reader(paths_of(folder)) as reader:
        for page in reader.pages():
            if 200 <= page.status < 300:
                yield page
