"""A cluster in one process, on a clock that goes on by itself: what is real and what is a model.

weft.cluster   all of it but `connection`, `servers` and the parts of `log` and `control` that talk to NATS
weft.pipeline  ledger, doors, loop; and the frontier, seen
timeline.py    the one clock; an event loop for each process, which can be killed or stopped at any await
servers.py     the log and the shared values in memory, and a network between them and the nodes
disk.py        a node's rows and archive: a power cut sets them back to the last sync, or further on
web.py         pages that are computed, some of them other ones at each visit; who asked for what and when
crawler.py     in place of engine, fetcher and workers
node.py        a node: its folder, and one process after the other
schedule.py    what happens to all of them, and what must be true at the end
"""
