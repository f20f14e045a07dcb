"""The processes: one engine that owns state and sockets, and workers that parse and store.

| file | subject |
|---|---|
| `crawl` | a crawl in its folder: created, resumed, stopped |
| `run` | one run of it: all parts put together, driven to the end, index files written |
| `engine`, `loop` | what may begin now; how anybody says that something has changed |
| `context`, `config_parts`, `network`, `open_files` | what the parts share |
| `doors` | where others come in |
| `beginning` | before the first visit: limits and rules that have changed, and the seeds |
| `preparations`, `prepare`, `rests` | addresses and robots rules of an authority; what follows if they cannot be had |
| `permission` | the last question before a request |
| `visits`, `pace` | a request, and what follows from its end; `--rate` and `--bandwidth` |
| `hooks`, `hook_calls` | the user's functions before a request and after an answer; how they are called and bounded |
| `login`, `cookie_rows` | logging in before the first visit; cookies kept over a stop |
| `parse_workers`, `worker`, `messages`, `work`, `warc_slots` | the workers: jobs, answers, files |
| `commits` | workers' answers, to be written down |
| `ledger`, `tally`, `originals`, `refusals` | how each visit ends: one batch of rows |
| `sessions`, `walks`, `same_pages` | walks without end |
| `buckets`, `seeds` | what would move hosts between buckets; seeds as users give them |
| `relax`, `growing_scope`, `limits`, `rules`, `readmission` | what is read or queued again, and why … |
| `repeats`, `another_chance`, `update` | … and for what reasons else |
| `delivery` | pages on their way to `async for` |
| `reordering` | an order that learns |
| `balancing`, `halts`, `stock`, `progress` | how many of what; why nothing begins; how it stands |

Nothing is imported here: each parse worker loads this package, and none of them needs the engine.
"""
