"""Paper 2's experiment with weft's table of buckets: `make bench-cluster`, or a part by `python -m bench.cluster`.

    part         what a part returns: text, lines that must hold, figures
    paper        the paper's weights and what its nodes sent each other
    phases       those weights, then C leaves, then E joins: buckets, hosts and moves, beside the paper's figures
    scale        1,000 nodes and 10 M hosts: evenness and moves by the number of buckets
    plain_ring   the paper's own algorithm on the same hosts: points by weight, the next one has it

`phases` and `scale` are computed: no node runs. A part with real nodes, `nodes`, has its place in `PARTS` of `__main__`
and in docs/cluster-bench.md; the line of what they receive says "not measured" until then.
"""
