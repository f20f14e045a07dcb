"""What a page costs weft, beside its peers, on the same pages of one server: `python -m bench`.

    command      the scratch folder of a run, and how it ends
    corpus       what is crawled, how it is served, which pages there are
    pages        the made-up pages: many hosts, links by a hash
    site, truth  the real pages, and what can be reached of them, told from the files alone
    server       an nginx that serves a corpus and writes down what it was asked (`weather.lua`: latency and faults)
    tally        what a tool fetched, missed and fetched twice, told from that log
    tools        weft and its peers: how each is called
    peers        the peers that need a program of ours
    measure      runs a command: its time, the CPU of all its processes, its memory
    rounds       the runs on a corpus, weft and peers in turn
    fixed        corpus d by fixed settings
    table        the figures as a table
    targets      what must hold, with what was measured
    record       the figures as a file
    versions     weft as it was and as it is, in turn, on its own: `python -m bench.versions`
    groups       paper 3's experiment on corpus d, on its own (group_crawl, serial_crawl, group_samples)
    mirrors      weft mirror beside wget, wget2 and HTTrack, on its own (mirror_sites, _tools, _runs, _judge, _table)
    cluster      paper 2's experiment: who has which hosts, and what moves; on its own
    papers       the experiments of all five papers, each with its figures beside ours: `make papers`

Every figure comes from the run at hand; `results` keeps all of them. docs/benchmarks.md says how to read them. The
small scripts beside these modules measure one part of weft each and run on their own.
"""

import os

# As users have it: without files of bytecode each process would compile all of weft before it begins.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
