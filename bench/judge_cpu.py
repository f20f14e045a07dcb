"""CPU time to judge a page by a topic, over the HTML files of a folder; and of hostile pages of a megabyte.

    python bench/judge_cpu.py FOLDER [--sample 500] [--rounds 5]

Debian's openjdk-17-jre-headless has a good folder, api: real pages with some hundred links each. A place is where a
word may be: in text, in a tag or in a script, as a word or in another one.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from weft.order.topic import Topic
from weft.page.judge import TopicJudge
from weft.page.topic_words import TopicWords
from weft.url import LinkResolver

_ABSENT = """
astronomy galaxy telescope nebula comet planetary orbiting starlight quasar pulsar supernova cosmology redshift
spectrograph photometry eclipse meteorite asteroid lunar martian jupiter saturn uranus neptune venusian mercury
heliosphere magnetar exoplanet parallax zenith azimuth declination ephemeris perihelion aphelion equinox solstice
astrolabe observatory
"""
ABSENT = _ABSENT.split()
TOPICS = {
    "1 word, absent": ABSENT[:1],
    "3 words, absent": ABSENT[:3],
    "10 words, absent": ABSENT[:10],
    "40 words, absent": ABSENT,
    "charset": ["charset"],
    "swing": ["swing"],
    "socket, port, channel": ["socket", "port", "channel"],
    "exception": ["exception"],
    "class, interface, method": ["class", "interface", "method"],
}
HOSTILE = ("<", "<a href=", "exception ", "<a href=x>exception", "<!-->", "exception<script></script>", "<a b='\"c ")


def main() -> None:
    """Judge every page several times and print the mean of each page's best time."""
    arguments = _read_arguments()
    files = sorted(path for path in arguments.folder.rglob("*.html") if 20_000 < path.stat().st_size < 40_000)
    if not files:
        raise SystemExit(f"no HTML file of 20 to 40 KB in {arguments.folder}")
    sample = random.Random(1).sample(files, min(arguments.sample, len(files)))
    texts = [path.read_text(errors="replace") for path in sample]
    print(f"{len(texts)} pages of {statistics.mean(map(len, texts)) / 1000:.1f} KB; to lower case: ", end="")
    print(f"{statistics.mean(_best_us(text.lower, arguments.rounds) for text in texts):.1f} µs")
    for name, words in TOPICS.items():
        topic = Topic(tuple((word, 1.0) for word in words))
        judge, finder, resolve = TopicJudge(topic), TopicWords(topic), LinkResolver("http://h/d/").resolve
        counts = [len(finder.find(text.lower().encode())) for text in texts]
        for label, wanted in (
            ("none", range(1)),
            ("1–19", range(1, 20)),
            ("20–99", range(20, 100)),
            ("100–999", range(100, 1000)),
        ):
            some = [text for text, count in zip(texts, counts, strict=True) if count in wanted]
            if some:
                best_us = [_best_us(partial(judge.judge, text, resolve), arguments.rounds) for text in some]
                print(f"{name:24}{label:>7} places: {len(some):4} pages, {statistics.mean(best_us):6.1f} µs")
    judge = TopicJudge(Topic.of_words("exception"))
    for unit in HOSTILE:
        took_us = _took_us(partial(judge.judge, unit * (1_000_000 // len(unit)), resolve))
        print(f"a megabyte of {unit!r:30}{took_us / 1000:8.1f} ms")


def _best_us(call: Callable[[], object], rounds: int) -> float:
    return min(_took_us(call) for _ in range(rounds))


def _took_us(call: Callable[[], object]) -> float:
    started = time.perf_counter()
    call()
    return (time.perf_counter() - started) * 1e6


def _read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sample", type=int, default=500)
    parser.add_argument("--rounds", type=int, default=5)
    return parser.parse_args()


if __name__ == "__main__":
    main()
