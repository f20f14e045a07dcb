"""Which URLs are known already, and at which depth they were found.

    hot cache → known ids → Bloom filter → `seen` rows (disk)

The cache answers for the links that every page repeats, the known ids for those to other pages of a host. The Bloom
filter says "certainly new" without a look at the disk. Only the rows decide that a URL is known, so a false positive
costs a look-up, never a page.
"""

from weft.seen.bloom import LayeredBloom
from weft.seen.seen import Found, Seen, depth_in

__all__ = ["Found", "LayeredBloom", "Seen", "depth_in"]
