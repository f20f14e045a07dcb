"""The processes: one engine that owns state and sockets, and workers that parse and store.

| file | subject |
|---|---|
| `crawl` | opens the folder, puts the parts together, writes the index files at the end |
| `engine` | the loop |
| `prepare` | addresses and robots rules of a host |
| `permission` | the last question before a request |
| `visits` | a request, and what follows from its end |
| `originals` | payloads that came before |
| `ledger` | how each visit ends: one batch of rows |
| `rows` | a page's row, made and read back |
| `relax` | pages that came nearer: their links are read again |
| `delivery` | pages on their way to `async for` |
| `crawl_log` | one line a request |
| `stock` | figures that are worked out now and then |
| `pace` | `--rate` and `--bandwidth` |
| `halts` | why no further request begins |
| `balancing` | reads the stages, asks `workers.balance`, and resizes |
| `parse_workers` | jobs on their way to a pool of workers, and the answers on their way back |
| `warc_slots` | which WARC file each worker writes |
| `worker` | a parse worker as it sees itself |
| `messages` | what the two say to each other |
| `work` | jobs, and what the engine remembers of each while a worker has it |
| `folder` | what lies where in a crawl folder, and its lock |
| `reading` | a crawl folder opened for reading, while the crawl runs, too |

Nothing is imported here: each parse worker loads this package, and none of them needs the engine.
"""
