"""How well weft finds a page's main content, and at what cost, beside other extractors.

    corpus.py ──pages──▶ extractor.py, a process in weft's and one in the peers' environment ──texts, CPU──▶ score.py

A corpus is a folder in the form of trafilatura's evaluation: `evaldata.json` names for each URL a file in `cache/` or
`eval/`, snippets that must be in the text (`with`) and snippets that must not (`without`). None is kept here.
`sites.py` measures something else: what weft gains where it knows the templates of a site.
"""
