"""A user's functions over the archive of a crawl, on all cores: no server is asked again.

    rows, in the archive's order ──▶ stretches ──▶ workers ──items──▶ parts ──at the end──▶ FILE
                                                      │
                                                      └──▶ journal: which stretches are done, and where their items lie

The engine hands out places of records and nothing else. A worker reads the archive itself, calls the functions, and
writes items to a part of its own. What the journal names is done; nothing else in a part counts. So a kill at any
moment loses no item and doubles none, and FILE is the same whatever the number of workers and of kills: its items are
in the order of the archive.

| file | subject |
|---|---|
| `job` | one extraction: its folder beside FILE, what is done, what is left to do |
| `stretches` | pages in the archive's order, some at once |
| `journal` | what is done, on disk |
| `parts` | where items lie until the end |
| `output` | the parts made into FILE |
| `engine` | hands out, notes, ends |
| `blame` | which page ended its worker |
| `messages` | what engine and workers say to each other |
| `worker` | a worker as it sees itself |
"""

from __future__ import annotations

from weft.lazy_names import make_callable

make_callable(__name__, "weft.api.extract")
