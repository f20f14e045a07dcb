"""What the owner of a site wants to fix, found in the rows of a crawl that kept its links (`--links`).

    page rows ──▶ Pages ──┐
    graph, links rows ────┴─▶ analysis: findings by kind ──▶ referrers of each ──▶ table, JSON, CSV, HTML

Nothing is asked of any server here, and memory grows with the pages and with what is found, not with the links.
"""
