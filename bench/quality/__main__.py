"""`python -m bench.quality [planted|documents …]`: print the tables of docs/site-quality.md."""

from __future__ import annotations

import argparse
from pathlib import Path

from bench.command import bench_scratch
from bench.quality.documents import run_documents
from bench.quality.planted import run_planted

PARTS = ("planted", "documents")


def main() -> None:
    """Run the parts, and print them."""
    parser = argparse.ArgumentParser(prog="bench.quality", description=__doc__)
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], default=list(PARTS))
    parser.add_argument("--peers", type=Path, default=Path(".peers"), help="the environment that has LinkChecker")
    parser.add_argument("--documents", type=Path, default=Path(".peers/documents"))
    options = parser.parse_args()
    for part in options.parts:
        with bench_scratch("quality", is_kept=False) as scratch:
            scratch.chmod(0o755)  # LinkChecker, run by root, becomes nobody
            peers = options.peers.resolve()
            made = (
                run_planted(peers, scratch)
                if part == "planted"
                else run_documents(options.documents.resolve(), peers, scratch)
            )
            print(f"{part}\n\n{made}\n", flush=True)


if __name__ == "__main__":
    main()
