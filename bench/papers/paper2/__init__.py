"""Paper 2, "Web crawlers and their distribution" (2012): its experiments on a real cluster of `weft node`.

    responses   answers by kind, pages by host, bandwidth of node A, on a synthetic web with the paper's shares
    exchange    URLs that nodes send each other: four nodes by weight, C leaves, E joins
    matrices    what those matrices say, beside the paper's

`bench.cluster` has the same weights computed for 50,000 hosts, and crawls of one node and two.
"""
