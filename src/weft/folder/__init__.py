"""The crawl folder: what lies where, and how it is read back.

| file | subject |
|---|---|
| `layout` | what lies where, the settings, the lock |
| `databases` | where the rows lie: in one database, or in one an engine |
| `reading` | a folder opened for reading, while the crawl runs, too: report, export, mirror and programs read it so |
| `page_rows` | a page's row, made and read back |
| `archived` | a response read back from the archive |
| `archive_order` | rows of pages in the order in which the archive holds them |
| `items_files` | where the items of a crawl lie |
| `items_parts` | those of several engines, and one file made of them |
| `kept_forms` | the forms of a page that were kept beside it |
| `history` | an earlier answer of a URL beside the new one, and which of the two counts |
| `crawl_log` | one line a request |
| `refused_rows`, `refused_list` | what was left out, and why |
| `repair` | the rows, made again from the archive |
| `older` | the rows of an older format |

Nothing is imported here: a parse worker reads the archive, and needs no database.
"""
