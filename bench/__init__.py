"""What a page costs weft, beside Scrapy, on a site of real pages: `python -m bench`.

    site         finds the pages on disk, and serves them by an nginx of its own
    truth        what can be reached on the site, told from the files alone
    measure      runs a command: its time, the CPU of all its processes, its memory
    weft_run     one crawl by weft, and whether it fetched everything once
    scrapy_run   one crawl by Scrapy; also the spider itself
    https_ways   weft alone, over http and https in turn: `python -m bench --https`
    table        the figures as a table
    record       the figures as a file

Every figure comes from the run at hand; `results` keeps all of them. The small scripts beside these
modules measure one part of weft each and run on their own.
"""
