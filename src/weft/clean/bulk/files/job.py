"""Cleaning the pages of a crawl folder into a file.

    pages.warc.gz                   the output, once it is whole
    pages.warc.gz.part              until then
    pages.warc.gz.progress          how much of it is true, and which pages are in it
    pages.warc.gz.templates         what stands on many pages of each site, if articles are made
    pages.warc.gz.set-aside.jsonl   the pages that could not be cleaned, with the reason; only if there are any

A job that was stopped, however, goes on where it was when it is opened again. It takes what the crawl has committed
by then. A finished output is left alone; so is whatever has one of these names, but no note beside it.
"""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

from weft.clean import Form
from weft.clean.bulk.files.note import SUFFIX, Note, NoteFile
from weft.clean.bulk.files.progress import Progress
from weft.clean.bulk.files.shapes import shape_of
from weft.clean.bulk.files.sink import ASIDE_SUFFIX, PART_SUFFIX, FolderSink
from weft.clean.bulk.files.source import FolderSource
from weft.clean.bulk.files.templates import SUFFIX as TEMPLATES_SUFFIX
from weft.clean.bulk.files.templates import TemplateFile
from weft.clean.bulk.ports import Sink, Source
from weft.errors import BadInput, told_in_words
from weft.folder.reading import CrawlReader
from weft.whole_file import refuse_to_replace


def open_folder_job(
    folder: Path,
    out: Path,
    *,
    form: Form = Form.HTML,
    settings: str = "",
    uses_templates: bool = False,
    replaces: bool = False,
) -> tuple[Source, Sink]:
    """The pages of a crawl folder, and the file that they go to.

    The file's name says what it is: `.warc.gz`, `.jsonl`, `.jsonl.gz` or `.parquet`. `settings` tells in words by
    which rules pages are cleaned; an output that was begun with others is not gone on with. With
    `uses_templates`, what stands on many pages of a site is in none of its articles. `replaces` begins again,
    and a finished output is replaced when the new one is whole. The sink's `close` closes everything.
    """
    shape = shape_of(out, form, settings)
    note_path = out.with_name(out.name + SUFFIX)
    if not note_path.exists() or replaces:  # without a note they may be the user's
        for path in (out, *_beside(out)):
            refuse_to_replace(path, replaces=replaces)
    with ExitStack() as opened:
        reader = opened.enter_context(CrawlReader(folder))
        reader.refuse_without_archive()
        notes = NoteFile(note_path)
        opened.callback(notes.close)
        note = _begun(out, notes, Note(str(folder.resolve()), f"{form}: {settings}"), replaces=replaces)
        progress = Progress(note.upto, note.holes)
        templates = TemplateFile(out.with_name(out.name + TEMPLATES_SUFFIX)) if uses_templates else None
        source = FolderSource(reader, progress, out.absolute().parent, templates, is_whole=note.is_whole)
        sink = FolderSink(out, shape, notes, note, progress, source.close)
        opened.pop_all()
    return source, sink


def _begun(out: Path, notes: NoteFile, wanted: Note, *, replaces: bool) -> Note:
    """The note to go on by."""
    found = notes.load()
    if found is not None and not replaces:
        for what, begun, now in (("from", found.crawl, wanted.crawl), ("by", found.settings, wanted.settings)):
            if begun != now:
                raise BadInput(f"{out} was begun {what} {begun!r}, not {now!r}; --force begins it again")
        return found
    if not replaces and not notes.is_empty:
        raise BadInput(f"{out.with_name(out.name + SUFFIX)} is not a note of weft's; --force replaces it")
    with told_in_words(out):
        notes.clear()
        for path in _beside(out):
            path.unlink(missing_ok=True)
    notes.save(wanted)
    return wanted


def _beside(out: Path) -> list[Path]:
    """What a job writes beside its output and its note."""
    return [out.with_name(out.name + suffix) for suffix in (PART_SUFFIX, ASIDE_SUFFIX, TEMPLATES_SUFFIX)]
