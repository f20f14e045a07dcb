"""The URLs still to visit, and whose turn it is: Mercator's frontier, on disk, with bounded memory.

    put ──▶ lane of its authority ──▶ host's turn ──▶ address's turn ──▶ next ──▶ Visit ──▶ finish
            (a back queue on disk;    (ready heap by  (gates)                      (the row leaves the
             a few heads in memory)    rank, waiting                                queue with the
                                       heap by time)                                page's commit)

A URL leaves the frontier only when it may be fetched: addresses known, robots rules known, its host's delay over, its
address not asked too often. So no fetch slot ever sleeps. A row stays in the queue until its page is committed; a crash
therefore needs no repair, the unfinished rows are simply still there.

**Host and authority.** Whoever is asked is asked by host: delay, connections, Retry-After. What cannot be asked is an
authority (scheme://host:port): a port where nobody listens, a bad certificate, a robots.txt that answers 500. So each
authority has a lane of its own, which fails, rests and is left for another run while the host's other lanes go on.

A host is in one of these states:

    PREPARING   nothing of it can go on before an address is looked up or a robots.txt asked for
    READY       a URL of it may be fetched now
    WAITING     its delay, a back-off, or its address's gate
    BUSY        all connections allowed to it are in use
    EMPTY       nothing queued; forgotten once its delay is over
    PARKED      it would wait too long; left for `resume` (a lane may be so on its own)

| file | subject |
|---|---|
| `frontier` | whose turn it is |
| `host` | one host: its lanes, and when it may be asked |
| `lane` | one authority: the heads of its queue |
| `look_ups` | how many hosts are looked up at once |
| `residents` | hosts in memory, and how they come and go |
| `sleepers` | hosts on disk, read by time |
| `holds` | who has to rest, and who is left |
| `parked` | who is left for another run |
| `heap` | heaps of hosts by rank and by time |
| `gates` | one gate an IP address |
| `manners` | the rules of politeness |
| `rows` | what of the hosts is on disk |
| `turns` | what is handed out, what comes back |
"""

from weft.frontier.frontier import Frontier
from weft.frontier.host import HostState
from weft.frontier.manners import BLOCKED, HostRules, Manners
from weft.frontier.parked import Parked
from weft.frontier.turns import Clearance, Preparation, SideTurn

__all__ = ["BLOCKED", "Clearance", "Frontier", "HostRules", "HostState", "Manners", "Parked", "Preparation", "SideTurn"]
