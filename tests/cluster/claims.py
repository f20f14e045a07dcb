"""Who has which buckets, by the cluster's log: nodes tell it of themselves some seconds later."""

from __future__ import annotations

from collections import Counter

from nats.aio.client import Client

from weft.cluster.events import Claim, Release, from_bytes
from weft.cluster.log import NatsLog
from weft.cluster.shared import open_shared


async def buckets_of_nodes(client: Client, crawl: str) -> Counter[str]:
    """How many buckets each node that lives has claimed and not released."""
    members = await (await open_shared(client, crawl)).members()
    lives = {member.life for _, member in members.values() if not member.is_over}
    log = NatsLog(client, crawl)
    claims: dict[str, Claim] = {}
    for stream, end in enumerate(await log.ends()):
        async for messages in log.replay(stream, ["d.*"], 0, end):
            for message in messages:
                event = from_bytes(message.data)
                if isinstance(event, Claim):
                    claims[message.subject] = event
                elif isinstance(event, Release):
                    claims.pop(message.subject, None)
    return Counter(claim.node for claim in claims.values() if claim.life in lives)
