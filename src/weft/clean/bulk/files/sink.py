"""Where the cleaned pages of a crawl folder go: one file, and a list of the pages that were set aside.

    results ──▶ appended to OUT.part ──fsync──▶ noted in OUT.progress ──fsync──▶ done
    all pages done ──▶ noted ──▶ OUT.part becomes OUT ──▶ OUT.templates and OUT.progress go

After a stop of any kind OUT.part is cut to what is noted, and the pages that are not noted are given again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from weft.clean.bulk.files.growing import GrowingFile
from weft.clean.bulk.files.note import Note, NoteFile
from weft.clean.bulk.files.progress import Progress
from weft.clean.bulk.files.shapes import Kept, Shape
from weft.clean.bulk.files.templates import SUFFIX as TEMPLATES_SUFFIX
from weft.clean.bulk.ports import Result
from weft.errors import told_in_words
from weft.state import sync_path

PART_SUFFIX = ".part"
ASIDE_SUFFIX = ".set-aside.jsonl"

_encode = msgspec.json.Encoder().encode


class FolderSink:
    """Writes an output by its note. `let_go` is called at the end: nobody needs the crawl folder any more."""

    def __init__(
        self, out: Path, shape: Shape, notes: NoteFile, note: Note, progress: Progress, let_go: Callable[[], None]
    ) -> None:
        self._out = out
        self._shape = shape
        self._notes = notes
        self._note = note
        self._progress = progress
        self._let_go = let_go
        part = out.with_name(out.name + PART_SUFFIX)
        # Once all is noted, the part may have become the output before the note could go.
        self._part = GrowingFile(part, 0 if note.is_whole and not part.exists() else note.output_end)
        self._aside = GrowingFile(out.with_name(out.name + ASIDE_SUFFIX), note.aside_end)

    def write(self, results: Sequence[Result]) -> None:
        """Keep them: when this returns they survive whatever happens next."""
        if not self._part.end:
            self._part.append(self._shape.opening())
        done = [(result, self._progress.origin(result.page.place)) for result in results]
        kept = [Kept(one.page.url, origin, one.cleaned) for one, origin in done if one.cleaned is not None]
        aside = [{"url": one.page.url, "reason": one.reason} for one in results if one.cleaned is None]
        self._part.append(self._shape.written(kept))
        self._aside.append(b"".join(_encode(line) + b"\n" for line in aside))
        self._part.sync()
        self._aside.sync()
        self._progress.finish(result.page.place for result in results)
        self._save(is_whole=False)

    def close(self) -> None:
        """Give the output its name if every page is done; else it stays as it is, to be gone on with."""
        try:
            if self._note.is_whole or self._progress.is_whole:
                self._finish()
        finally:
            self._part.close()
            self._aside.close()
            self._notes.close()
            self._let_go()

    def _finish(self) -> None:
        if not self._note.is_whole:
            if not self._part.end:  # no page at all is an output as well
                self._part.append(self._shape.opening())
            self._part.create()
            self._save(is_whole=True)
        if self._part.path.exists():
            self._part.cut()
            with told_in_words(self._out):
                self._shape.finish(self._part.path, self._out)
                sync_path(self._out.absolute().parent)
        with told_in_words(self._out):
            self._out.with_name(self._out.name + TEMPLATES_SUFFIX).unlink(missing_ok=True)
        self._notes.remove()

    def _save(self, *, is_whole: bool) -> None:
        upto, holes = self._progress.told()
        self._note = Note(
            self._note.crawl,
            self._note.settings,
            self._note.number + 1,
            self._part.end,
            self._aside.end,
            upto,
            holes,
            is_whole,
        )
        self._notes.save(self._note)
