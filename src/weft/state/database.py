"""The crawl's one database: every durable fact, and the only way to change several of them at once.

Families whose rows belong to hosts, each row beginning with its host's bucket (`state.keys` makes these keys; a URL id
begins so, too):

| family   | key → value                                              | written by        |
|----------|----------------------------------------------------------|-------------------|
| seen     | URL id → smallest depth found                            | seen              |
| queue    | bucket, host, lane, priority, sequence → Link            | frontier          |
| sent     | URL id → smallest depth told; links that other nodes were told of | cluster |
| place    | URL id → its standing, its key in `queue`; only if the order changes its mind | frontier |
| patience | bucket, host (, sequence) → how long URLs have waited: frontier/patience.py | frontier   |
| host     | bucket, host → HostRow (only while it has queued URLs)   | frontier          |
| robots   | bucket, authority → RobotsRow                            | pipeline          |
| page     | URL id → Page                                            | pipeline          |
| visits   | bucket, host → how many visits ended; only with a budget a host | pipeline   |
| relax    | URL id → nothing; pages whose links are read again       | pipeline          |
| undelivered | URL id → nothing; pages that a reader has not finished | pipeline          |
| over     | queue key, or URL id → Link; refused because a limit was reached | pipeline  |
| forbidden | bucket, host, authority, URL id → RefusedRow; refused by robots.txt | pipeline |
| refused  | bucket, host, URL id → RefusedRow; refused by any other rule | pipeline      |
| rule     | bucket, host, reason, rule → RuleRow: how many of its refusals are listed | pipeline |
| earlier  | URL id → EarlierRow; pages as they were before an update | pipeline          |
| repeat   | URL id → RepeatRow; redirects, and the cookies they were asked with | pipeline |
| cookie   | bucket, site, hash → Cookie; only if cookies are kept    | pipeline          |
| mirror   | letter, URL id → what a mirror's files are made by: see mirror/rows.py | pipeline, mirror |
| graph    | first 8 bytes of a page's URL id → its links: graph/rows.py; only if asked for | pipeline |
| links    | the same key → LinkNotes: kinds, rels and anchors of these links; only if asked for | pipeline |
| traps    | letter, URL id or bucket and host → what pages told of sessions, calendars, equal folders | pipeline |

Families that are ordered by something else:

| family   | key → value                                              | written by        |
|----------|----------------------------------------------------------|-------------------|
| meta     | name → counters, scope's seeds, rules, limits, run; how far a cluster's log reaches | pipeline, cluster |
| wake     | time, host → nothing; one row a host that has queued URLs, made from its row in `host` | frontier |
| warc     | file id → WarcRow                                        | store             |
| unsynced | file id, offset → URL id; records not yet known on disk  | store             |
| side     | file id, offset → SideRow; records that are no page's    | pipeline          |
| items    | file id, offset → items of that page, not yet in the file | store            |
| digest   | hash of a body → URL id of the page archived with it     | pipeline          |
| outbox   | (engine,) number → OutboxRow; what other nodes or engines have not been told yet | cluster, engines |
| news     | number → URL ids and standings: what pages told of URLs that wait, not yet in `place` | frontier |
| similar  | part of a simhash, URL id → simhash                      | store             |

One object owns all handles and drops them on close: a stray column-family handle would keep the lock.
A write that fails leaves memory and disk apart, so it always ends the crawl; `resume` goes on from the disk.
"""

from __future__ import annotations

import errno
import os
import resource
from collections.abc import Generator, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final, Literal, cast
from weakref import WeakSet

from rocksdict import (
    AccessType,
    BlockBasedIndexType,
    BlockBasedOptions,
    Cache,
    DBCompressionType,
    Options,
    Rdict,
    ReadOptions,
    WriteBatch,
    WriteBufferManager,
)

from weft.errors import BadInput, DiskFull, FolderError
from weft.state.linked_copy import LinkedCopy
from weft.workers.malloc import share_heaps

Family = Literal[
    "meta", "seen", "queue", "host", "wake", "robots", "page", "visits", "relax", "warc", "unsynced",
    "digest", "similar", "side", "items", "undelivered", "over", "forbidden", "refused", "rule",
    "mirror", "earlier", "traps", "repeat", "place", "sent", "outbox", "graph",
    "patience", "news", "links", "cookie",
]  # fmt: skip
FAMILIES: Final[tuple[Family, ...]] = (
    "meta", "seen", "queue", "host", "wake", "robots", "page", "visits", "relax", "warc", "unsynced",
    "digest", "similar", "side", "items", "undelivered", "over", "forbidden", "refused", "rule",
    "mirror", "earlier", "traps", "repeat", "place", "sent", "outbox", "graph",
    "patience", "news", "links", "cookie",
)  # fmt: skip

MIB = 1024 * 1024
# Small, so that it is full early and memory stays as it is from then on. A larger one saves a microsecond a look-up,
# no more: what is not in it is in the system's cache.
CACHE_BYTES = 16 * MIB
READ_ONLY_CACHE_BYTES = 4 * MIB  # several processes may read at once
WRITE_BUFFERS_BYTES = 16 * MIB
# Of one family. As many as are merged at once make up the first level: by RocksDB's own 256 MiB, each merge of new
# rows would write all old ones of a family again until it has that many.
WRITE_BUFFER_BYTES = 8 * MIB
# A small log keeps opening after a crash fast: it is read whole.
MAX_WAL_BYTES = 16 * MIB
FILTER_BITS_PER_KEY = 10
# Filters and indexes of a table are kept in parts of this size. The cache is divided into 64 shards, and a block
# larger than a shard (256 KiB: the filter of 210,000 rows) is never kept: every look-up would read it again.
TABLE_PART_BYTES = 4096
# With zstd, half of what small blocks and lz4 take on disk, at the same CPU.
TEXT_BLOCK_BYTES = 64 * 1024
# Of each file that is read or written in the background; RocksDB's own 2 MiB and 1 MiB add up, and are not given back.
BACKGROUND_BUFFER_BYTES = 256 * 1024
# In what RocksDB says when the disk is full, or the user's share of it is.
NO_ROOM = ("No space left", f"errno: {errno.ENOSPC}", "Disk quota exceeded")
NOT_WRITABLE = ("Read-only file system", "ermission denied")
# In what RocksDB says when a database cannot be opened, although nothing is wrong with it.
NO_DAMAGE = (*NOT_WRITABLE, "Too many open files", "lock hold by", "While lock file")
# A running crawl removes files between a reader's look at the list of them and its opening them.
OPEN_TRIES = 50
# Addresses, not memory: each thread reserves 8 MiB for its stack, and glibc 64 MiB for its heap. Where RocksDB cannot
# start its threads, it ends the process. With few heaps a crawl was measured to take 260 MiB, without 500 and more.
LEAST_ADDRESS_BYTES = 400 * MIB
HEAPS_WHERE_ADDRESSES_ARE_FEW = 2


class Batch:
    """Changes that happen all together or not at all."""

    __slots__ = ("_handles", "raw")

    def __init__(self, handles: dict[Family, object]) -> None:
        self.raw = WriteBatch(raw_mode=True)
        self._handles = handles

    def put(self, family: Family, key: bytes, value: bytes) -> None:
        """Add or replace one row."""
        self.raw.put(key, value, self._handles[family])  # type: ignore[arg-type]

    def delete(self, family: Family, key: bytes) -> None:
        """Remove one row, if it is there."""
        self.raw.delete(key, self._handles[family])  # type: ignore[arg-type]

    def delete_range(self, family: Family, start: bytes, stop: bytes) -> None:
        """Remove all rows with start ≤ key < stop."""
        self.raw.delete_range(start, stop, self._handles[family])  # type: ignore[arg-type]


class State:
    """The open database.

    Read-only, it takes no lock: it shows a crawl as it is on disk at the moment of opening, even while it runs, and
    where nothing can be written.
    """

    def __init__(
        self, path: Path, *, is_read_only: bool = False, max_open_files: int = 256, cache_bytes: int | None = None
    ) -> None:
        if is_read_only and not is_at(path):  # RocksDB would make a folder there
            raise FolderError(f"there is no database in {path}; `weft repair` makes it again from the archive")
        _make_do_with_addresses(resource.getrlimit(resource.RLIMIT_AS)[0])
        cache = Cache(cache_bytes or (READ_ONLY_CACHE_BYTES if is_read_only else CACHE_BYTES))
        names = _families_in(path) if is_read_only else FAMILIES
        families: dict[str, Options] = {name: _family_options(cache, name) for name in names}
        access = AccessType.read_only() if is_read_only else AccessType.read_write()
        # A reader must hold what the writer may remove.
        options = _database_options(cache, max_open_files=-1 if is_read_only else max_open_files)
        tries_left = OPEN_TRIES if is_read_only else 1
        self._copy: LinkedCopy | None = None
        while tries_left:
            tries_left -= 1
            try:
                self._db = Rdict(str(path if self._copy is None else self._copy.made()), options, families, access)
                break
            except Exception as error:  # rocksdict raises bare Exceptions
                if is_read_only and self._copy is None and any(words in str(error) for words in NOT_WRITABLE):
                    self._copy = LinkedCopy(path)
                elif not tries_left or "No such file" not in str(error):
                    self._remove_copy()
                    raise _unopened(error, path) from error
        if not is_read_only:
            sync_path(path.parent)  # RocksDB sees to its files, but not to the name of their folder
        self._families: dict[Family, Rdict] = {f: self._db.get_column_family(f) for f in names}
        self._handles: dict[Family, object] = {f: self._db.get_column_family_handle(f) for f in names}
        self._scans: WeakSet[Generator[tuple[bytes, bytes], None, None]] = WeakSet()

    def batch(self) -> Batch:
        """An empty batch, to be filled and given to `write`."""
        return Batch(self._handles)

    def write(self, batch: Batch) -> None:
        """Make all of the batch's changes. They survive the process; `sync` makes them survive power loss."""
        try:
            self._db.write(batch.raw)
        except Exception as error:  # rocksdict raises bare Exceptions
            raise _translated(error, "cannot write the crawl's state") from error

    def get(self, family: Family, key: bytes) -> bytes | None:
        """One row's value."""
        try:
            return cast("bytes | None", self._families[family].get(key))
        except KeyError:  # a folder that was written before there was such a family
            return None
        except Exception as error:  # rocksdict raises bare Exceptions
            raise _damaged(error) from error

    def each(self, family: Family, key: bytes) -> list[bytes]:
        """The values of a row that each engine of a crawl has for itself: here it is one."""
        row = self.get(family, key)
        return [] if row is None else [row]

    def scan(self, family: Family, start: bytes = b"", stop: bytes | None = None) -> Iterator[tuple[bytes, bytes]]:
        """Rows with start ≤ key < stop, in order, as they were when the scan began."""
        if family not in self._families:
            return iter(())
        options = ReadOptions()
        if stop is None:  # a walk to the end must not push out what is asked for again and again
            options.fill_cache(False)  # type: ignore[call-arg]  # its types lack the argument
        else:
            options.set_iterate_upper_bound(stop)
        items = self._families[family].items(from_key=start, read_opt=options)
        rows = _each(cast("Iterator[tuple[bytes, bytes]]", items), self._families[family], start, options)
        self._scans.add(rows)
        return rows

    def sync(self) -> None:
        """Force everything written so far to the disk. Blocks without holding the GIL: call it in a thread."""
        try:
            self._db.flush_wal(sync=True)
        except Exception as error:  # rocksdict raises bare Exceptions
            raise _translated(error, "cannot sync the crawl's state") from error

    def begin_to_close(self) -> None:
        """Little but reading comes now: RocksDB makes its last tables meanwhile, for which `close` would wait."""
        for family in self._families.values():
            with suppress(Exception):  # as in `close`
                family.flush(wait=False)

    def close(self) -> None:
        """Close the database and give its lock back."""
        for scan in list(self._scans):
            with suppress(ValueError):  # another thread is within it: the lock goes when that lets go of the scan
                scan.close()
        self._handles.clear()
        for family in [*self._families.values(), self._db]:
            # After a write that failed, closing fails as well; that error is known already, and the lock must go.
            with suppress(Exception):
                family.close()
        self._families.clear()
        self._remove_copy()

    def _remove_copy(self) -> None:
        if self._copy is not None:
            self._copy.close()


def is_at(path: Path) -> bool:
    """Whether there is a database. A folder without this file is an empty place to RocksDB, whatever else is in it."""
    return (path / "CURRENT").exists()


def sync_path(path: Path) -> None:
    """Make a file's content, or the names in a folder, survive power loss."""
    fd = os.open(path, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def _make_do_with_addresses(limit_bytes: int) -> None:
    if limit_bytes == resource.RLIM_INFINITY:
        return
    if limit_bytes < LEAST_ADDRESS_BYTES:
        raise BadInput(
            f"only {limit_bytes // MIB} MiB of memory may be addressed, and a crawl needs "
            f"{LEAST_ADDRESS_BYTES // MIB}: `ulimit -v unlimited` allows more"
        )
    share_heaps(HEAPS_WHERE_ADDRESSES_ARE_FEW)


def _families_in(path: Path) -> tuple[Family, ...]:
    """Those that are there: what reads only cannot add the others."""
    try:
        there = Rdict.list_cf(str(path))
    except Exception:  # rocksdict raises bare Exceptions; opening it will tell what is wrong
        return FAMILIES
    return tuple(name for name in FAMILIES if name in there)


def _each(
    items: Iterator[tuple[bytes, bytes]], family: Rdict, start: bytes, options: ReadOptions
) -> Generator[tuple[bytes, bytes], None, None]:
    """Rows from a generator, which `close` can end: an iterator left behind would keep the lock.

    rocksdict's own iterator ends without a word where a block is damaged, so its end is looked at again.
    """
    key = None
    for row in items:
        key = row[0]
        yield row
    end = family.iter(options)
    end.seek(start if key is None else key + b"\0")
    try:
        end.status()
    except Exception as error:  # rocksdict raises bare Exceptions
        raise _damaged(error) from error
    finally:
        del items, end  # the traceback of the error would hold them, and they the lock


def _database_options(cache: Cache, *, max_open_files: int) -> Options:
    options = _family_options(cache, "meta")
    options.create_if_missing(True)
    options.create_missing_column_families(True)
    options.set_max_total_wal_size(MAX_WAL_BYTES)
    # Charged to the cache, so that one figure bounds both.
    options.set_write_buffer_manager(
        WriteBufferManager.new_write_buffer_manager_with_cache(WRITE_BUFFERS_BYTES, False, cache)
    )
    options.set_max_open_files(max_open_files)
    options.set_keep_log_file_num(2)
    # RocksDB's own 16 are started again for each family: 480 threads an opening, which takes 27 ms of CPU instead of 9.
    options.set_max_file_opening_threads(1)
    options.set_max_background_jobs(2)
    options.set_compaction_readahead_size(BACKGROUND_BUFFER_BYTES)
    options.set_writable_file_max_buffer_size(BACKGROUND_BUFFER_BYTES)
    return options


def _family_options(cache: Cache, family: Family) -> Options:
    table = BlockBasedOptions()
    table.set_block_cache(cache)
    table.set_bloom_filter(FILTER_BITS_PER_KEY, False)
    table.set_cache_index_and_filter_blocks(True)
    table.set_pin_l0_filter_and_index_blocks_in_cache(True)
    table.set_index_type(BlockBasedIndexType.two_level_index_search())
    table.set_partition_filters(True)
    table.set_metadata_block_size(TABLE_PART_BYTES)
    options = Options(raw_mode=True)
    # Who asks for one of these rows knows that it is there, but for one time in 200: no filter for the oldest tables.
    options.set_optimize_filters_for_hits(family == "seen")
    if family == "links":  # read from end to end, never one by one; and texts of one site are like each other
        table.set_block_size(TEXT_BLOCK_BYTES)
    options.set_block_based_table_factory(table)
    options.set_compression_type(DBCompressionType.zstd() if family == "links" else DBCompressionType.lz4())
    options.set_write_buffer_size(WRITE_BUFFER_BYTES)
    options.set_max_bytes_for_level_base(4 * WRITE_BUFFER_BYTES)
    return options


def _unopened(error: Exception, path: Path) -> FolderError | DiskFull:
    reason = _translated(error, f"cannot open the crawl's state in {path}")
    if isinstance(reason, DiskFull) or any(words in str(error) for words in NO_DAMAGE):
        return reason
    return FolderError(f"{reason}; if it is damaged, `weft repair` makes it again from the archive")


def _damaged(error: Exception) -> FolderError:
    return FolderError(f"the crawl's state is damaged ({error}); `weft repair` makes it again from the archive")


def _translated(error: Exception, what: str) -> FolderError | DiskFull:
    text = str(error)
    if any(words in text for words in NO_ROOM):
        return DiskFull(f"{what}: the disk is full")
    return FolderError(f"{what}: {text}")
