"""A crawl shown to people and to programs that look on."""
