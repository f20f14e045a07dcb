"""Crawls that are killed, cut and starved on purpose, and what is left of them.

    a synthetic web ─▶ a crawl, ended again and again ─▶ resumed to its end ─▶ judged: what is lost, what is there twice

A short run is part of `make test`; `make torture` (`python -m tests.torture`) is the long one, and prints tables.

| file | subject |
|---|---|
| `kills` | SIGKILL at random moments: engine, one worker, whole group |
| `points` | a crash at each named place of `weft.crash_points` |
| `politeness` | hosts are left in peace across kills, by the server's log |
| `judging` | what a crawl left in its folder, compared with the truth |
| `refetches` | what was asked for again because of a kill |
| `killing` | an engine that is killed on its way until the crawl is done |
| `table`, `options`, `__main__` | the long run's output and input |

A part of the long run is a module with `run(options: Options) -> bool`, named in `__main__.PARTS`.
"""
