"""The peers: crawlers by others, or as others would write them, on the same pages as weft.

    scrapy_docs          Scrapy as its documentation shows it
    scrapy_tuned         Scrapy with the settings and the spider that were fastest here
    crawlee_run          Crawlee for Python
    aiohttp_selectolax   a crawler by hand: aiohttp, selectolax, uvloop
    spider.js            spider, by its binding for Node

Each is a program of its own, run by the Python (or Node) of the peers' environment with one argument: a file that says
what to crawl (`bench.tools.Job`). They obey robots.txt, stay on the hosts they are given, and store nothing. wget,
wget2 and HTTrack need no file here: `bench.tools` has their command lines.
"""
