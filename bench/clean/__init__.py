"""Paper 4's experiment, and weft's cleaning beside other cleaners, on the same real pages: `python -m bench.clean`.

    pages          10,000 pages of about 40 KB: whole pages of Debian's documentation (`install-pages`)
    databases      the two tables of the paper, on SQLite and on PostgreSQL, filled again for each design
    stopwatch      what a thread's time goes to: the paper's figure 4
    page_tables    the operations on the two tables, each with its time
    buffers        what lies between the maintaining thread and the deletion threads
    designs        A1S1D, A1S2D, B1S1D, B1S2D, C1S1D: all clean by the same function, so that only the engine differs
    design_run     one design in a process of its own
    experiment     the designs and `weft clean` one after the other, on both databases
    design_tables  their figures beside the paper's
    design_reasons why they come in this order, by the database times

    contest        weft and other cleaners in turn, on one core, and how far they agree
    contestant     the process that a cleaner runs in
    weft_cleaners  weft's own, by output
    peer_cleaners  lxml_html_clean, nh3, BeautifulSoup and trafilatura, by output
    likeness       how much of two outputs is the same
    contest_tables pages/s, CPU and agreement

    document       docs/clean-bench.md with the figures of the last run

Figures of a run are in results/clean.json.
"""
