"""The five papers' experiments, run again: `make papers`, or `make paper-1` … `paper-5`.

    paper1      reading pages, seven crawlers, waiting for a lock, the DNS table: variants that only these need
    paper2      answers by kind, and URLs exchanged by nodes that leave and join; on a real cluster
    paper3      balanced, unbalanced, serial; the swing of equation (10); where balance matters
    paper4      five designs of cleaning: `bench.clean`
    paper5      mirrors beside wget and HTTrack: `bench.mirrors`
    claims      orderings, how often each held, and what that says of a table
    part        what an experiment returns
    charts      plots as SVG
    page        docs/papers.md between its markers

Every experiment runs three times. Seeds and scales are written beside the tables.
"""
