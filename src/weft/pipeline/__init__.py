"""The processes: one engine that owns state and sockets, and workers that parse and store.

| file | subject |
|---|---|
| `crawl` | opens the folder, puts the parts together, writes the index files at the end |
| `engine` | the loop |
| `prepare` | addresses and robots rules of a host |
| `permission` | the last question before a request |
| `visits` | a request, and what follows from its end |
| `ledger` | how each visit ends: one batch of rows |
| `workers` | the parse workers as the engine sees them |
| `worker` | a parse worker as it sees itself |
| `messages` | what the two say to each other |
| `folder` | what lies where in a crawl folder, and its lock |
"""

from weft.pipeline.crawl import Crawl
from weft.pipeline.engine import Ending

__all__ = ["Crawl", "Ending"]
