"""The URLs still to visit, and whose turn it is: Mercator's frontier, on disk, with bounded memory.

    put ──▶ back queue of its host ──▶ host's turn ──▶ address's turn ──▶ next ──▶ Visit ──▶ finish
            (disk; a few heads in     (ready heap by  (gates)                      (the row leaves the
             memory)                   rank, waiting                                queue with the
                                       heap by time)                                page's commit)

A URL leaves the frontier only when it may be fetched: addresses known, robots rules known, its host's delay over, its
address not asked too often. So no fetch slot ever sleeps. A row stays in the queue until its page is committed; a crash
therefore needs no repair, the unfinished rows are simply still there.

A host is in one of these states:

    PREPARING   its addresses are looked up, its robots.txt asked for
    READY       a URL of it may be fetched now
    WAITING     its delay, a back-off, or its address's gate
    BUSY        all connections allowed to it are in use
    EMPTY       nothing queued; forgotten once its delay is over
    PARKED      it would wait too long; left for `resume`

| file | subject |
|---|---|
| `frontier` | whose turn it is |
| `host` | one host: the heads of its queue |
| `heap` | heaps of hosts by rank and by time |
| `gates` | one gate an IP address |
| `manners` | the rules of politeness |
| `rows` | what of the hosts is on disk |
| `keys` | how rows are ordered |
| `turns` | what is handed out, what comes back |
"""

from weft.frontier.frontier import Frontier
from weft.frontier.host import HostState
from weft.frontier.manners import Manners
from weft.frontier.turns import Clearance, Preparation, SideTurn

__all__ = ["Clearance", "Frontier", "HostState", "Manners", "Preparation", "SideTurn"]
