"""What a crawl looks for: the words that the user gave, those of a text, and those of pages that are fetched first."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from weft.config import CrawlConfig
from weft.errors import BadInput
from weft.folder.layout import CrawlFolder
from weft.folder.reading import CrawlReader
from weft.order import ORDERS, order_named, wants_of
from weft.pipeline.host_settings import without

if TYPE_CHECKING:
    from weft.pipeline.crawl import Crawl

FOLDER: Final = "topic"  # in the crawl's folder: the crawl of the topic's pages
MAX_FILE_BYTES: Final = 10_000_000


def with_topic(config: CrawlConfig) -> CrawlConfig:
    """The settings with the words of their topic, as far as they are known before anything is fetched."""
    is_given = bool(config.topic or config.topic_file or config.topic_pages)
    if wants_of(order_named(config.order)).topic != is_given:
        if is_given:
            takers = ", ".join(name for name in ORDERS if wants_of(order_named(name)).topic)
            raise BadInput(f"the order {config.order} does not look at a topic; these do: {takers}")
        raise BadInput(
            f"the order {config.order} needs to know what to look for: --topic WORDS, --topic-file or --topic-pages"
        )
    if not config.topic and not config.topic_file:
        return config
    from weft.order.topic import Topic, joined  # only then: its patterns take their time

    topics = []
    if config.topic:
        topics.append(Topic.of_words(config.topic))
    if config.topic_file:
        topics.append(Topic.of_text(_text_in(Path(config.topic_file))))
    return msgspec.structs.replace(config, topic_words=joined(topics).words)


def is_learned(config: CrawlConfig) -> bool:
    """Whether no page has to be fetched for its words any more."""
    return not config.topic_pages or bool(config.topic_words and config.topic_pages_read)


def topic_crawl(folder: CrawlFolder, config: CrawlConfig) -> Crawl:
    """The crawl of the topic's pages, with the manners of the whole; one that was begun goes on."""
    from weft.pipeline.crawl import Crawl

    path = folder.path / FOLDER
    if CrawlFolder.is_one(path):
        return Crawl.resume(path)
    hosts = without(config.hosts, "include", "exclude")
    plain = msgspec.structs.replace(
        config, hosts=hosts, seeds=config.topic_pages, scope="any", depth=0, include=(), exclude=(), max_pages=None,
        max_bytes=None, max_time_s=None, order="bfs", topic="", topic_file="", topic_pages=(), topic_words=(),
        graph=False, patience=None, sitemaps=False, requisites=False, extractors=(), with_forms=(), mirror=False,
        login="", login_fields=(), archive="full",
    )  # fmt: skip
    return Crawl.create(path, plain)


def learned(folder: CrawlFolder, config: CrawlConfig) -> CrawlConfig:
    """The settings with the words of the topic's pages, which have been fetched."""
    from weft.order.topic import Topic, joined

    with CrawlReader(folder.path / FOLDER) as reader:
        texts = [page.text for page in reader.pages() if 200 <= page.status < 300]
    if not any(texts):
        raise BadInput(f"of the topic's pages none could be fetched: {', '.join(config.topic_pages)}")
    topic = joined([Topic(config.topic_words)] * bool(config.topic_words) + [Topic.of_text("\n".join(texts))])
    return msgspec.structs.replace(config, topic_words=topic.words, topic_pages_read=True)


def _text_in(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return file.read(MAX_FILE_BYTES).decode("utf-8", "replace")
    except OSError as error:
        raise BadInput(f"the topic's file cannot be read: {error}") from error
