"""Many nodes, one polite crawl: the log (NATS JetStream) is the truth, a node's database is its view of it."""
