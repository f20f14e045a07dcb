from __future__ import annotations

import pytest

from weft.config import CrawlConfig, product_token
from weft.errors import BadInput


@pytest.mark.parametrize(
    ("user_agent", "token"),
    [
        ("", "weft"),
        ("mybot", "mybot"),
        ("mybot/1.0 (+https://example.org/bot)", "mybot"),
        ("my_bot-x 2", "my_bot-x"),
        ("bot5/2.0", "bot5"),
        ("360Spider", "360Spider"),
        ("archive.org_bot", "archive.org_bot"),
        ("Mozilla/5.0 (compatible; mybot/1.0; +https://example.org/bot)", "mybot"),
        ("Mozilla/5.0 (compatible;mybot; x)", "mybot"),
        ("Mozilla/5.0 (Compatible; bot5/1.0)", "bot5"),
        (
            "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Googlebot/2.1; +http://x/) Safari",
            "Googlebot",
        ),
        ("otherbot/3 (compatible; mybot/1.0)", "mybot"),
    ],
)
def test_the_name_in_a_user_agent_is_its_first_word_or_the_one_after_compatible(user_agent: str, token: str) -> None:
    assert product_token(CrawlConfig(user_agent=user_agent)) == token


@pytest.mark.parametrize(
    "user_agent",
    [
        "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
        "Mozilla/5.0 (compatible; MSIE 10.0; Windows NT 6.2)",
        "Mozilla/5.0 (compatible; )",
        "(mybot)",
        "клоп/1.0",
        "/1.0",
        " ",
    ],
)
def test_a_user_agent_without_a_name_of_its_own_needs_one_for_robots_txt(user_agent: str) -> None:
    with pytest.raises(BadInput, match="--robots-agent"):
        product_token(CrawlConfig(user_agent=user_agent))
    assert product_token(CrawlConfig(user_agent=user_agent, robots_agent="mybot")) == "mybot"


@pytest.mark.parametrize("name", ["my bot", "mybot/1.0", "*", "клоп"])
def test_the_name_for_robots_txt_is_one_word(name: str) -> None:
    with pytest.raises(BadInput, match=r"the name in robots\.txt must be one word"):
        product_token(CrawlConfig(robots_agent=name))
