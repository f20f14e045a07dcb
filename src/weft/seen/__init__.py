"""Which URLs are known already, and at which depth they were found.

    hot cache → Bloom filter → known ids → `seen` rows (disk)

The cache answers for the links that every page repeats. The Bloom filter says "certainly new" without a look at the
disk. The known ids answer for links to other pages of a host. Only the rows decide that a URL is known, so a false
positive costs a look-up, never a page.
"""

from weft.seen.bloom import LayeredBloom
from weft.seen.seen import KNOWN, NEW, Found, Seen, depth_in

__all__ = ["KNOWN", "NEW", "Found", "LayeredBloom", "Seen", "depth_in"]
