"""What a machine may do to a crawl: no room, no network, no name server, a clock that jumps, damage on the disk.

After each of these the crawl goes on, or stops with one sentence that says why; and then `weft resume`, after
`weft repair` where the database is damaged, comes to the complete result: no page missed, none archived twice.
"""
