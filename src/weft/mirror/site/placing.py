"""Which file each URL becomes: decided once, for all URLs of the crawl, in an order that depends on the URLs alone.

    1. seeds
    2. URLs that are named as their files: /a/b.html. So links to them stay as they are, and the pages around these
    3. all others, which would like to be called so too: /a/b

Within each by their ids. / and /index.html are one file if their bytes are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from weft.config import CrawlConfig
from weft.folder.archived import load_response
from weft.folder.history import UPDATE, earlier_row
from weft.folder.page_rows import decode_page
from weft.in_thread import never, until_halted
from weft.mirror.note import mirror_note, naming_of
from weft.mirror.paths import Paths
from weft.mirror.rows import AFTER_TARGETS, FILE, LINKS, REDIRECT, TARGET, note_of
from weft.mirror.site.known import KnownUrl, file_of, known_row, known_rows
from weft.mirror.site.saving import Saving
from weft.state import Batch, State
from weft.store import Archive
from weft.types import AnswerNote
from weft.url import url_id

ROWS_PER_BATCH = 500
INDEX = "index.html"


def place_all(
    state: State,
    archive: Archive,
    config: CrawlConfig,
    *,
    is_complete: bool,
    is_halted: Callable[[], bool] = never,
) -> int:
    """Write down for each URL which file it is, or where it redirects to; returns the number of files.

    Halted in its middle, it is done again: the same comes of it.
    """
    placing = _Placing(state, archive, config, is_complete=is_complete)
    for seed in config.seeds:
        placing.place_seed(seed)
    for known in until_halted(known_rows(state, is_complete=is_complete), is_halted):
        placing.place_by_own_name(known)
    for known in until_halted(known_rows(state, is_complete=is_complete), is_halted):
        placing.place(known)
    placing.write()
    return placing.files


def forget_missing(state: State, root: Path, damaged_ids: Iterable[bytes]) -> bool:
    """Let no link lead to files that could not be made and are not there from before; returns whether there are any.

    The next run gives them their files again, and tries.
    """
    paths = {path for url_id in damaged_ids if (path := file_of(state, url_id)) is not None}
    missing = {FILE + path.encode() for path in paths if not (root / path).is_file()}
    if missing:
        batch = state.batch()
        batch.delete("meta", LINKS)
        for key, target in state.scan("mirror", TARGET, AFTER_TARGETS):  # a file may be that of / and /index.html
            if target in missing:
                batch.delete("mirror", key)
        state.write(batch)
    return bool(missing)


class _Placing:
    def __init__(self, state: State, archive: Archive, config: CrawlConfig, *, is_complete: bool) -> None:
        self._state = state
        self._archive = archive
        self._naming = naming_of(config)
        saving = Saving(config)
        self._is_file = saving.is_file
        self._saves_errors = saving.saves_errors
        self._is_complete = is_complete
        self._is_update = state.get("meta", UPDATE) is not None
        self._rows = _PathRows(state)
        self._paths = Paths(self._rows)
        self._in_batch = 0
        self.files = 0

    def place_seed(self, seed: str) -> None:
        seed_id = url_id(seed)
        row = self._state.get("page", seed_id)
        if row is not None and self._is_file(page := decode_page(row)):
            earlier = earlier_row(self._state, seed_id)
            note = earlier.note if earlier is not None and earlier.page == page else note_of(self._state, seed_id)
            self._paths.place(seed, self._note_of(KnownUrl(seed_id, page, note, None)).path)

    def place_by_own_name(self, known: KnownUrl) -> None:
        if self._is_file(known.page):
            wanted = self._note_of(known).path
            if wanted.rpartition("/")[2] == known.page.url.rpartition("/")[2]:
                self._path_of(known)
                self._count()

    def place(self, known: KnownUrl) -> None:
        key = TARGET + known.id
        wanted = self._target_of(known)
        if wanted != self._state.get("mirror", key):
            self._rows.batch.delete("meta", LINKS)
            if wanted is None:
                self._rows.batch.delete("mirror", key)
            else:
                self._rows.batch.put("mirror", key, wanted)
        self._count()

    def _count(self) -> None:
        self._in_batch += 1
        if self._in_batch == ROWS_PER_BATCH:
            self.write()

    def write(self) -> None:
        self._state.write(self._rows.batch)
        self._rows.begin()
        self._in_batch = 0

    def _target_of(self, known: KnownUrl) -> bytes | None:
        if self._is_file(known.page):
            self.files += 1
            return FILE + self._path_of(known).encode()
        if 300 <= known.page.status < 400 and known.page.file and (redirect := self._note_of(known).redirect):
            return REDIRECT + redirect.encode()
        return None

    def _path_of(self, known: KnownUrl) -> str:
        """Its own file, or that of the same page by its other name: / and /index.html."""
        url, wanted = known.page.url, self._note_of(known).path
        if wanted.rpartition("/")[2] == INDEX and self._paths.known(url) is None:
            twin = f"{url}{INDEX}" if url.endswith("/") else url.removesuffix(INDEX)
            if twin != url and (url.endswith("/") or self._paths.known(twin) is not None):
                other = known_row(self._state, url_id(twin), is_update=self._is_update, is_complete=self._is_complete)
                if other is not None and self._is_same_page(known, other):
                    return self._paths.place(twin, wanted)
        return self._paths.place(url, wanted)

    def _is_same_page(self, one: KnownUrl, other: KnownUrl) -> bool:
        if not self._is_file(other.page) or one.page.digest != other.page.digest or not one.page.digest:
            return False
        return self._note_of(one).path == self._note_of(other).path

    def _note_of(self, known: KnownUrl) -> AnswerNote:
        """What a worker noted; made again where a repair of the state has lost it."""
        if known.note is not None:
            return known.note
        response = load_response(self._archive, known.page)
        return mirror_note(response, self._naming, errors=self._saves_errors) or AnswerNote()


class _PathRows:
    """What `Paths` reads and writes: a batch, and behind it the database."""

    batch: Batch

    def __init__(self, state: State) -> None:
        self._state = state
        self.begin()

    def begin(self) -> None:
        """The batch before was written."""
        self.batch = self._state.batch()
        self._new: dict[bytes, bytes] = {}

    def get(self, key: bytes) -> bytes | None:
        return self._new.get(key) or self._state.get("mirror", key)

    def put(self, key: bytes, value: bytes) -> None:
        self._new[key] = value
        self.batch.put("mirror", key, value)
