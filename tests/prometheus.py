"""Debian's promtool, by which Prometheus judges metrics and queries."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

UNPACKED = Path(__file__).parent.parent / ".servers" / "usr" / "bin" / "promtool"
PROMTOOL = shutil.which("promtool") or str(UNPACKED)
needs_promtool = pytest.mark.skipif(not Path(PROMTOOL).exists(), reason="`make .servers/ready` brings promtool")
