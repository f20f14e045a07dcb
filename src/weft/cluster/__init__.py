"""Many nodes that make one polite crawl: who owns which bucket of hosts, and how the nodes agree on it."""
