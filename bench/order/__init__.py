"""What comes first, and what it is worth: `make bench-order`, or a part by `python -m bench.order`.

    part         what a part returns: text, lines that must hold, figures, pictures
    contenders   the orders, as data
    crawl        weft with one order and a budget; what it fetched, in the order of the requests
    judge        harvest, true PageRank collected, hubs: of a list of pages
    oracle       PageRank of the whole true graph, by scipy
    ideal        the same web without a crawl: policies that read every page and anchor without a mistake
    web          simweb's web with a topic, by each order
    documents    the pages of ten Debian packages: where they begin, and which are relevant
    real         those pages behind nginx, by each order

Who judges knows the web: requests come from the log of the server, relevance and links from simweb's truth. Of real
pages nobody has a truth: there relevance is BM25 of the text over all of them, with words cut in another way than weft
cuts them.
"""
