"""Paper 1, "Efficiency bottlenecks analysis and solution of Web crawler" (2008): its experiments, run again.

    server      serves pages slowly, and leaves connections open when they are sent, as theirs did
    readers     ways to read a page: blocking, polling, events, select; with or without a look for its end
    portals     table 1: three home pages, loaded by each reader
    crawler     threads that crawl, with a private or a shared queue, with or without a DNS cache
    designs     table 2 and figure 6: seven crawlers
    waits       what one call of select and of epoll costs
    queueing    equation (3): waiting for a shared queue
    names       the DNS table of §2.2.1 as the paper describes it
    name_loads  that table beside a dict, an LRU and weft's

None of these is part of weft: they are what the paper compares.
"""
