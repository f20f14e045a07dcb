"""Servers that nobody should meet, met by real crawls: each ends, has its name, and harms no neighbour.

One crawl meets many of them at once, beside a web that it has to fetch completely; the tests then ask what became of
each. What is tested elsewhere is not repeated: certificates and `--insecure` (tests/pipeline/test_always_ends.py,
test_seeds_lead_on.py), private addresses (test_private_addresses.py), large bodies (test_memory.py).
"""
