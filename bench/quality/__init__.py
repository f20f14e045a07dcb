"""weft's site report beside other tools: `python -m bench.quality`.

    planted      the site with planted faults of tests/site: which of them weft, LinkChecker and wget --spider find
    documents    documentation of ten Debian packages: the broken links that weft, LinkChecker and a plain check find

docs/site-quality.md has the tables, and says why they differ where they do.
"""
