"""Processes and their number, for whoever has work for several cores: crawl, clean and mirror.

| file | subject |
|---|---|
| `process` | a child: started by exec, ended with its parent |
| `frames` | messages on a socket between the two |
| `malloc` | how much memory a process keeps |
| `grace` | how long a stop waits |
| `balance` | how many workers each stage gets: paper 3's equations |
| `slots` | how many requests at once are worth it |
| `turnstile` | a semaphore whose size can change |

Nothing is imported here: a worker needs few of them, and starts the sooner.
"""
