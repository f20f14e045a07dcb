"""What a parse worker notes of a response for a mirror: which file it would like to be, and how to ask for it again."""

from __future__ import annotations

from weft.config import CrawlConfig
from weft.fetch import Validators, decode_response, validators_of
from weft.media.signatures import SIGNATURE_BYTES
from weft.mirror.paths import EVERYTHING, Naming, wanted_path
from weft.types import AnswerNote, Fetched
from weft.url import LinkResolver, text_of_location

MIB = 1024 * 1024
NO_CONTENT = (204, 205)
COUNTED_BYTES = 32 * MIB  # of one body: who counts more has no disk left either way


def naming_of(config: CrawlConfig) -> Naming:
    """How files are named."""
    return Naming(config.host_folder, config.cut_dirs, config.flat, config.query_names)


def mirror_note(fetched: Fetched, naming: Naming = EVERYTHING, *, errors: bool = False) -> AnswerNote | None:
    """The note; None for an answer that is neither a file nor the way to one. With `errors`, their pages are files."""
    if 300 <= fetched.status < 400:
        location = fetched.header(b"location")
        url = LinkResolver(fetched.url).resolve(text_of_location(location)) if location else None
        return AnswerNote(redirect=url) if url else None
    has_content = 200 <= fetched.status < 300 and fetched.status not in NO_CONTENT
    if not has_content and not (errors and fetched.status >= 400):
        return None
    first_bytes = decode_response(fetched, SIGNATURE_BYTES).data
    disposition = fetched.header(b"content-disposition")
    path = wanted_path(fetched.url, fetched.media_type, first_bytes, disposition, naming)
    validators = validators_of(fetched.headers) or Validators()
    return AnswerNote(path, "", validators.etag, validators.last_modified)


def unpacked_bytes(fetched: Fetched) -> int:
    """By how much a response's file will be longer than what came."""
    if fetched.header(b"content-encoding") is None or not 200 <= fetched.status < 300:
        return 0
    return max(0, len(decode_response(fetched, COUNTED_BYTES).data) - fetched.body_bytes)
