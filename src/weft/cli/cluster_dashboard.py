"""`weft cluster dashboard`: look at a cluster's crawl in a browser."""

from __future__ import annotations

import os

from weft.cli.cluster_commands import CrawlName, with_cluster
from weft.cli.cluster_options import Ca, Creds, Nats, split_urls
from weft.cli.dashboard import FLAG, AllowHost, Listen, Open, show
from weft.cli.dashboard_beside import check_libraries
from weft.cli.settings import DASHBOARD_PLACE
from weft.dashboard.token import token_for
from weft.listening import listen, read_place


def dashboard(
    crawl: CrawlName,
    nats: Nats,
    place: Listen = DASHBOARD_PLACE,
    allow_host: AllowHost = None,
    opens: Open = False,
    nats_creds: Creds = None,
    nats_ca: Ca = None,
) -> None:
    """Watch and steer a cluster's crawl in a browser, until Ctrl-C.

    Prints a link that holds a token, a new one each time unless WEFT_DASHBOARD_TOKEN sets it: who has it may steer the
    crawl.

    Exit codes: 0 ended by Ctrl-C; 1 unexpected error; 2 bad input, as a port in use.
    """
    check_libraries()
    from weft.cluster import control
    from weft.cluster.connection import connect
    from weft.dashboard.cluster import ClusterSource

    listener = listen(*read_place(place, FLAG), f"{FLAG} ADDRESS:")
    with_cluster(nats, nats_creds, nats_ca, lambda client: control.status(client, crawl))  # is there such a crawl?
    urls = split_urls(nats)
    source = ClusterSource(crawl, lambda: connect(urls, name="weft dashboard", creds=nats_creds, ca=nats_ca))
    show(source, listener, token_for(None, os.environ), allow_host or (), opens=opens)
