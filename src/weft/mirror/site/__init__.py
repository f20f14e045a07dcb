"""A crawl becomes a site on the disk: `weft mirror`.

    DIR/.weft/            the crawl: archive, state, log, report, changes.json
    DIR/<host>/…          the files
    DIR/versions/<date>/  what an update replaced or removed, if that is wanted
    DIR/mirror-index.html a page about all of them, likewise

    crawl ──▶ place ──▶ write, in several processes ──▶ delete what is gone ──▶ changes.json ──▶ done

The crawl is like any other. Files are made from its archive when it has ended, because only then it is known what
became of every URL: links to what was saved become relative, all others absolute. Each step can be done again: after a
stop of any kind the next run goes on with the crawl, and makes the files that are not yet as they should be.

| file | question |
|---|---|
| `known` | which answer of a URL counts, and what was noted of it? |
| `placing` | which file does each URL become? |
| `targets` | where does a link lead? |
| `bodies` | what are its bytes, also if they do not fit into memory? |
| `disk_file` | a file on the disk: written whole, or left alone if it is the same |
| `writer` | one writer process |
| `writers`, `messages` | all of them, and what they are told and tell |
| `saving` | which answers become files, by the user's rules? |
| `versions` | what did updates replace or remove? |
| `index_page` | a page about the mirror itself |
| `changes` | what has changed since the run before, and what is gone |
| `finish` | all of these, in order |
| `layout` | is there a mirror, and how does it stand? |

Which file a URL becomes is decided at the end, in an order that depends on nothing but the URLs. Decided as answers
come in, two URLs that want the same file would get it by chance, and a mirror that was killed would look different from
one that was not.

The names below are imported when they are used: writers load this package, and none of them needs the engine.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.lazy_names import lazy_names

if TYPE_CHECKING:
    from weft.mirror.site.finish import Finished, finish_mirror
    from weft.mirror.site.layout import Standing, standing_of
    from weft.mirror.site.writers import Writers

__all__ = ["Finished", "Standing", "Writers", "finish_mirror", "standing_of"]

__getattr__ = lazy_names(
    __name__,
    {
        "Finished": "weft.mirror.site.finish",
        "Standing": "weft.mirror.site.layout",
        "Writers": "weft.mirror.site.writers",
        "finish_mirror": "weft.mirror.site.finish",
        "standing_of": "weft.mirror.site.layout",
    },
)
