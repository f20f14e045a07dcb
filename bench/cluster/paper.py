"""Paper 2's tables: four nodes, then three, then four others, and the URLs that each sent to each."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec


class Phase(msgspec.Struct, frozen=True):
    """A stretch of the paper's crawl in which the nodes stayed the same."""

    title: str
    weights: dict[str, int]
    sent: dict[str, dict[str, int]]  # URLs: by sender, then receiver


PHASES = (
    Phase(
        "A, B, C, D (the paper: the first ten minutes)",
        {"A": 150, "B": 80, "C": 200, "D": 40},
        {
            "A": {"B": 4480, "C": 9840, "D": 2254},
            "B": {"A": 4622, "C": 6098, "D": 1285},
            "C": {"A": 9473, "B": 5551, "D": 725},
            "D": {"A": 6167, "B": 3269, "C": 10349},
        },
    ),
    Phase(
        "C leaves (the paper: three minutes)",
        {"A": 150, "B": 80, "D": 40},
        {
            "A": {"B": 1267, "D": 500},
            "B": {"A": 1211, "D": 87},
            "D": {"A": 1796, "B": 980},
        },
    ),
    Phase(
        "E joins with 300",
        {"A": 150, "B": 80, "D": 40, "E": 300},
        {
            "A": {"B": 16481, "D": 9331, "E": 51002},
            "B": {"A": 26225, "D": 6138, "E": 42859},
            "D": {"A": 9570, "B": 3992, "E": 22203},
            "E": {"A": 21221, "B": 14326, "D": 5112},
        },
    ),
)


def received(sent: Mapping[str, Mapping[str, int]], node: str) -> int:
    """The URLs that a node got from all others."""
    return sum(row.get(node, 0) for row in sent.values())


def due(sent: Mapping[str, Mapping[str, int]], weights: Mapping[str, int], node: str) -> float:
    """The URLs that it should have got: of what each other node sent, its part by weight among the receivers."""
    return sum(
        sum(row.values()) * weights[node] / sum(weights[other] for other in row)
        for sender, row in sent.items()
        if sender != node
    )


def ratio(amounts: Mapping[str, float], sender: str) -> str:
    """What the others get, the first of them being 1: the form of the paper's last columns."""
    others = [amount for node, amount in amounts.items() if node != sender]
    return ":".join(["1", *(f"{amount / others[0]:.2f}" for amount in others[1:])])
