"""Cleaning pages from table to table, in SQLite or PostgreSQL."""
