"""Named places at which a test may end a process as SIGKILL would: `WEFT_CRASH_AT=commit-written:3`.

They stand where something is half done: between a file and the row that tells of it, between disk and memory. In a
crawl without that variable a call costs a tenth of a microsecond, and there are a handful of them a commit.
`record-begun:1:group` ends all of the process group: a worker and its engine.

| name | in | just done | not yet done |
|---|---|---|---|
| `commit` | engine | a batch is filled | written |
| `commit-written` | engine | the batch is written | memory follows |
| `file-known` | engine | a new WARC file has its row | the file |
| `files-synced` | engine | WARC files are safe on disk | the rows that say so |
| `items-appended` | engine | items are in their file | the row that says so |
| `sync-written` | engine | these rows are written | safe on disk |
| `renaming` | engine | all of a WARC file is safe | its final name |
| `renamed` | engine | its final name | the row that says so |
| `recovered` | engine | files are cut to what is committed | the batch that says so |
| `index` | engine | the crawl has ended | its index files |
| `command-applied` | engine | what a person told the crawl holds | logged |
| `command-logged` | engine | both | its file is gone |
| `record-begun` | worker | part of a long record | the rest of it |
| `record-written` | worker | a page's records, in the file or held | the answer to the engine |
| `records-flushed` | worker | records that were held are in the file | the answers that tell of them |
| `answered` | worker | some answers are sent | the next job |
| `cleaning` | cleaner | a page has come to a worker of `weft clean` | cleaned |
| `cleaned-inserted` | clean | a batch is inserted | its rows leave the queue |
| `cleaned-commit` | clean | both | committed |
| `cleaned-written` | clean | committed | marked in another database |
| `extracting` | extractor | a page is marked as the one that a worker of `weft extract` is at | done |
| `extracted` | extractor | a stretch is done, and its items are in a part | told |
| `extract-synced` | extract | parts are safe on disk | the journal says so |
| `extract-entered` | extract | both | counted in memory |
| `extract-written` | extract | the output is there | the journal is gone |
| `extract-finished` | extract | both | the parts are gone |
| `export-reading` | reader | a page has come to a worker of `weft export` | read |
| `shard-committed` | export | all shards are whole, and will be moved | any has its name |
| `shards-aside` | export | a folder of earlier shards has another name | the new one has theirs |
| `shard-written` | export | a shard is whole | the next one, or its name |
| `shard-moved` | export | a shard has its name | the others |
| `engine-arrived` | engines | links of another engine are in a batch | written |
| `engine-synced` | engines | links of another engine are safe on disk | it is told so |
| `engines-filled` | engines | the databases of another number of engines are filled | they hold |
| `cluster-restarting` | node | the outbox of the life before is told | its new life |
| `cluster-claimed` | node | a bucket is claimed | its old rows are gone |
| `cluster-replaying` | node | what its owners did is read | the links that were found |
| `cluster-joined` | node | a bucket's rows are there | its pages are asked for |
| `cluster-synced` | node | a window is safe on disk | told |
| `cluster-found` | node | its links are in the cluster's log | what became of its pages |
| `cluster-done` | node | both | it leaves the outbox |
| `cluster-releasing` | node | all of a bucket is told | it is free |
"""

from __future__ import annotations

import os
import signal
from itertools import count

_name, _number, _who = (*os.environ.get("WEFT_CRASH_AT", "").split(":"), "", "")[:3]
_die_at = int(_number or 1)
_passes = count(1)


def crash_point(name: str) -> None:
    """A place at which a test may end this process; the number says at which pass."""
    if name == _name and next(_passes) == _die_at:
        if _who == "group":
            os.killpg(0, signal.SIGKILL)
        os.kill(os.getpid(), signal.SIGKILL)
