"""Why a URL or a host of a crawl is as it is: read from the crawl's folder, whether it runs, has ended or was killed.

    text ──asked──▶ canonical URL, or host
                      │
    rows ─────────────┼─ a row in `page`                   visited       visit
                      ├─ in `forbidden`, `refused`, `over` refused       refusal, by_robots
                      ├─ in `queue`                        waiting       waiting, in_queue
                      └─ in none of them                   never found   admission: would it be let in?

`result` has the values that come out; their sentences are for the owner of a site, their other fields for programs.
Every look-up is by key, or a scan of a bounded number of rows, and what was cut is said.
"""

from __future__ import annotations

from weft.lazy_names import make_callable

make_callable(__name__, "weft.api.explain")
