"""Paper 2's experiment with weft's table of buckets: `make bench-cluster`, or a part by `python -m bench.cluster`.

    part         what a part returns: text, lines that must hold, figures
    paper        the paper's weights and what its nodes sent each other
    phases       those weights, then C leaves, then E joins: buckets, hosts and moves, beside the paper's figures
    scale        1,000 nodes and 10 M hosts: evenness and moves by the number of buckets
    plain_ring   the paper's own algorithm on the same hosts: points by weight, the next one has it
    trial        a crawl of real nodes
    weights      the paper's weights with real nodes: URLs that each received
    flat         memory of three nodes as URLs come in, and a take-over
    nodes        one node and two: what a page costs, and how much faster two are

`phases` and `scale` are computed: no node runs.
"""
