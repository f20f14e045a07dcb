"""FTP (RFC 959, 2428, 3659): a file or a folder is fetched like any page, and its answer looks like one.

    FtpFetcher.fetch ──▶ session   the control connection, logged in; kept for the next file
            │               └─ reply     what the server says
            ├──────────▶ transfer  a data connection into a Body; the fetcher's sweep ends what is late
            ├─ listing   a folder's entries, as a page with a link to each
            ├─ media     what a file is: nobody says so in FTP
            └─ answer    the Fetched that comes of it

FTP has no statuses and no headers, so those of a `Fetched` from here are made up; its `head` is empty, which no HTTP
response's is. `request` holds what was said on the control connection, without the password.

| what the server does                     | status | headers made up                                     |
|------------------------------------------|--------|-----------------------------------------------------|
| sends a file                             | 200    | content-type, content-length, last-modified if told |
| lists a folder                           | 200    | content-type: text/html, content-length             |
| has the file as it was (`validators`)    | 304    | last-modified                                       |
| has a folder by a name without / at its end | 301 | location: the same with /                           |
| does not know the name, or hides it      | 404    |                                                     |
| does not let us in                       | 401    |                                                     |
| has had enough of us, or is overloaded   | 503    |                                                     |
| cannot just now                          | 500    |                                                     |
| does not know a command that is needed   | 501    |                                                     |
| is not asked: the name has a line break  | 400    |                                                     |

So what follows a failure stands in the same table as for HTTP (`fetch.retry`). The body is what the server said.

**Where connections go.** A data connection goes to the very address of its control connection, which was vetted; of
what the server says only the port counts. With a proxy both go by it. There is no active mode: nobody connects to us.
"""

from __future__ import annotations

from weft.fetch.ftp.fetcher import FtpFetcher

__all__ = ["FtpFetcher"]
