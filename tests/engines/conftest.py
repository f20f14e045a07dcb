"""Frontiers whose clock a test turns."""

from __future__ import annotations

from tests.frontier.conftest import make_rig

__all__ = ["make_rig"]
