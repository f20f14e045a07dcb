"""Titles, dates and authors of pages with known answers: weft beside trafilatura and htmldate.

| file | subject |
|---|---|
| `corpus` | pages and what is true of them, in trafilatura's or htmldate's form; its two halves |
| `readers` | what reads the pages: run in an environment of its own, weft's or the peers' |
| `scores` | which answers are right |
"""
