"""A deterministic web of our own, for the demo, the tests and the benchmarks. It never leaves loopback.

    WebSpec ─▶ SimWeb ──answer(host, path)──▶ Behaviour ──play──▶ bytes      (SimServer: HTTP, also over TLS)
                 │  └──dns_addresses_of(host)───────────────────▶ addresses  (SimDns, DNS)
                 └─────truth(max_depth)──▶ Truth    what a perfect crawl finds
                                       RequestLog   what the crawler did

`SimWeb` is pure: whatever it says about a URL is a hash of seed and URL, so no page is stored and a web of
millions of pages takes the memory of its hosts. The servers only do what it says, and write down what they
are asked; a test compares the two. `SimProcess` runs both servers in a process of their own.

Oddities that leave a truth are shares of a `WebSpec`; `WebSpec.with_all_faults` has some of each. What leaves
none a test adds by hand, by host and path: any `Behaviour`, the answers of `hostile`, a `Trap`, a `TlsFault`.

| file | subject |
|---|---|
| `spec`, `chance`, `hosts`, `doors`, `places`, `graph`, `robotstxt`, `traits`, `html`, `pages` | the web, pure |
| `topical`, `topical_text` | a web with a topic, on which the order of a crawl is judged |
| `model`, `truth` | what it answers, and what a crawl must find |
| `behaviour` | what a server can do about a URL, as values |
| `play`, `faults`, `traps`, `hostile`, `hostile_pages` | the doing, one table row each: the place for more |
| `ask`, `connection`, `server`, `requestlog` | HTTP |
| `clienthello`, `authority`, `tls` | TLS; needs the package trustme |
| `dnswire`, `dnsserver` | DNS |
| `process`, `__main__` | a process of its own |
"""

from __future__ import annotations

from weft.simweb.dnsserver import DnsSpec, SimDns
from weft.simweb.model import SimWeb
from weft.simweb.process import SimProcess
from weft.simweb.requestlog import Request, RequestLog
from weft.simweb.server import SimServer
from weft.simweb.spec import WebSpec
from weft.simweb.truth import Truth

__all__ = [
    "DnsSpec",
    "Request",
    "RequestLog",
    "SimDns",
    "SimProcess",
    "SimServer",
    "SimWeb",
    "Truth",
    "WebSpec",
]
