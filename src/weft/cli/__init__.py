"""The command `weft`: what a person types, sees while it runs, and gets at the end."""

from weft.cli.app import main

__all__ = ["main"]
