"""Cleaning the pages of a crawl folder into a file."""
