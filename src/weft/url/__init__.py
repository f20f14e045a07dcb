"""The first step of a page's way: any string that claims to be a link becomes one canonical URL, or nothing.

    href ──LinkResolver.resolve──▶ "https://example.org/a?b" ──┬─ split      what to connect to, what to ask for
     or   canonicalize                                     ├─ host_of    whose queue it waits in
                                                           ├─ url_id     its key in `seen` and `page`
                                                           └─ surt       its key in the CDXJ index

Canonical means: parsed and written as a browser would (WHATWG URL, by ada), of a scheme of `schemes`, without fragment,
user name and default port. Nothing else is rewritten: two URLs that a server may answer differently stay two
URLs, with and without an empty query too. Every other package relies on that form.
"""

from __future__ import annotations

from weft.url.archive_key import surt
from weft.url.canonical import canonicalize
from weft.url.domain import registrable_domain
from weft.url.header import text_of_location
from weft.url.ids import BUCKET_BYTES, BUCKETS, ID_BYTES, bucket_of, id_of, is_own_request, request_id, url_id
from weft.url.login import split_login
from weft.url.parts import Target, host_of, origin_of, path_start, split
from weft.url.resolve import LinkResolver
from weft.url.schemes import scheme_of

__all__ = [
    "BUCKETS",
    "BUCKET_BYTES",
    "ID_BYTES",
    "LinkResolver",
    "Target",
    "bucket_of",
    "canonicalize",
    "host_of",
    "id_of",
    "is_own_request",
    "origin_of",
    "path_start",
    "registrable_domain",
    "request_id",
    "scheme_of",
    "split",
    "split_login",
    "surt",
    "text_of_location",
    "url_id",
]
