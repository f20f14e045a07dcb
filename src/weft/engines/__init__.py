"""Several engines in one crawl: every core has work.

One engine is one process with one event loop, and a machine of many cores has more than it can feed. So hosts are
shared out by bucket, a run of buckets to each engine (`state.several.Runs`); each has its own loop, database, WARC
files and parse workers, and asks nobody before it asks a host. The command's own process is engine 0, the others are
started by exec as workers are, and each pair of engines has a socket.

    page's batch ──▶ outbox row ──▶ Links ──▶ rows of who has the bucket, committed ──▶ synced ──▶ Taken ──▶ row removed

A link leaves the outbox when it is safe with its owner; whatever is killed before sends it again, and there it is
known. Who has a bucket is fixed while the crawl runs: there is no lease, and no server.

| file | subject |
|---|---|
| `number` | how many engines a crawl has, and what each is given of its settings |
| `part` | an engine's part, as its doors: whose links are these, what may begin, what has come |
| `told` | which links they were told of already |
| `outbox`, `peer` | links for the other engines: on disk, and on their way |
| `asking` | a robots.txt on another engine's host |
| `grants`, `ending` | how many pages each may fetch; when all of it is over. Pure |
| `coordinator` | engine 0's word to all: go, more pages, the end |
| `crew` | the processes of the other engines |
| `engine_process` | one of these |
| `crawl` | all of it as one `Crawl`: one lock, one report, one set of index files |
| `joined_progress`, `steering` | looked at, and steered, as one |
| `moving` | rows go to another number of engines, while nothing runs |
| `addresses`, `received` | memory that all share: which engines ask an IP address; how many bytes have come |
| `cpu` | what all of them took |
| `messages`, `channel`, `part_folder` | what they say to each other, by what, and where each has its files |
"""
