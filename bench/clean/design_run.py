"""One design in a process of its own: `python -m bench.clean.design_run NAME DATABASE_URL`, its times as JSON."""

from __future__ import annotations

import sys

import msgspec

from bench.clean.designs import DESIGNS, Clean, run_design
from weft.clean import PRESETS, Cleaner, Form


def clean_as_weft() -> Clean:
    """What weft itself cleans a page by."""
    cleaner = Cleaner(PRESETS["paper"], Form.HTML)
    return lambda content, url: cleaner.clean(content, url).content


def main() -> None:
    """Run it and tell."""
    name, database_url = sys.argv[1:]
    design = next(design for design in DESIGNS if design.name == name)
    times = run_design(design, database_url, clean_as_weft())
    print(msgspec.json.encode(times).decode())


if __name__ == "__main__":
    main()
