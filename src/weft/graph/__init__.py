"""The link graph of a crawl: which page links to which URL, and what that says of their worth.

A node is a URL, known by the first 8 bytes of its id. Family `graph` has a row for each page that was visited:

    rows      one page's row: made in a worker, read back here
      │
    links     all rows as arrays: nodes in order, and a matrix of links in compressed rows
      │
    ranks     pagerank, hits, opic
      │
    ranker    a process of its own, which ranks what waits while a crawl runs

Only `rows` runs in a crawl. What computes needs numpy and scipy (an extra), and imports them (`arrays`) when it is
asked to.
"""
