"""Processes and their number, once, for whoever has work for several cores: crawl, clean, extract and mirror.

    employer ──tasks, by credit──▶ pool ──frames──▶ the inside of a worker
        ▲                           │ │
        └── replies; whose fault a death is ── balance: how many

| file | subject |
|---|---|
| `process` | a child: started by exec with a socket, ended with its parent |
| `frames` | messages on that socket |
| `inside` | the loop of a worker: read a message, do it, answer |
| `worker_process` | one worker from its parent's side: readiness, credit, idle time, hanging, its end |
| `suspicion` | whose fault a death is: the task's that the worker was at, after a few of them |
| `tasks_done` | by which its parent knows which that is |
| `worker_pool` | as many of them as are wanted, kept alive; what its employer is asked and told |
| `malloc` | how much memory a process keeps |
| `grace` | how long a stop waits |
| `balance` | how many workers each stage gets: paper 3's equations |
| `slots` | how many requests at once are worth it |
| `turnstile` | a semaphore whose size can change |

| who | has |
|---|---|
| `pipeline.parse_workers` | a pool; a WARC file a slot, one worker for what must be apart, hosts that are not trusted |
| `clean.bulk.clean_workers` | a pool; a window that keeps the order, and a process alone with a bound on its memory |
| `extract.engine` | a pool; stretches of the archive, an output part a worker, a mark of the page that it is at |
| `mirror.site.writers` | processes and frames only: each has a share, and a death ends all |

Nothing is imported here: a worker needs few of them, and starts the sooner.
"""
