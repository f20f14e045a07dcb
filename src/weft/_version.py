"""The version, alone in a file so that building needs none of weft's dependencies."""

__version__ = "0.1.0"
