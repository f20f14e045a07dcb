"""docs/grafana-weft.json: each query is PromQL, and asks for metrics and labels that there are.

So are those of docs/operate.md, which say what to alert on.
"""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.prometheus import PROMTOOL, needs_promtool
from weft.dashboard.metrics import METRICS

DOCS = Path(__file__).parents[2] / "docs"
BOARD: dict[str, Any] = json.loads((DOCS / "grafana-weft.json").read_text())
OF_GRAFANA = {"$__rate_interval": "5m", "$instance": "machine:7878"}
LABELS = {metric.name: {metric.label} - {""} | {"instance", "job"} for metric in METRICS}


def board_queries() -> list[str]:
    """Those of the panels, as Prometheus gets them, and those by which variables get their values."""
    queries = [target["expr"] for panel in BOARD["panels"] for target in panel["targets"]]
    for name, value in OF_GRAFANA.items():
        queries = [query.replace(name, value) for query in queries]
    of_variables = [one["query"] for one in BOARD["templating"]["list"] if one["type"] == "query"]
    return queries + [re.sub(r"label_values\((\w+), (\w+)\)", r"group by (\2) (\1)", query) for query in of_variables]


def alert_queries() -> list[str]:
    """The conditions in docs/operate.md: the code in the second cell of a row that begins with a name."""
    return re.findall(r"^\| \w+ \| `(.*?weft_.*?)` \|", (DOCS / "operate.md").read_text(), re.MULTILINE)


def unescaped(query: str) -> str:
    return query.replace("\\|", "|")


QUERIES = board_queries() + [unescaped(query) for query in alert_queries()]


def test_there_are_queries_in_both() -> None:
    assert len(board_queries()) > 20
    assert len(alert_queries()) >= 5


@pytest.mark.parametrize("query", QUERIES)
def test_a_query_asks_for_metrics_that_there_are_by_labels_that_they_have(query: str) -> None:
    names = re.findall(r"\bweft_\w+", query)
    assert names
    assert set(names) <= LABELS.keys()
    labels = set(re.findall(r"(\w+)\s*=~?\s*\"", query)) | set(
        ", ".join(re.findall(r"by \((.*?)\)", query)).split(", ")
    )
    assert labels - {""} <= set().union(*(LABELS[name] for name in names))


@needs_promtool
def test_promtool_parses_each_query(tmp_path: Path) -> None:
    rules = [{"record": f"test:query:{number}", "expr": query} for number, query in enumerate(QUERIES)]
    file = tmp_path / "rules.yml"
    file.write_text(json.dumps({"groups": [{"name": "weft", "rules": rules}]}))  # JSON is YAML
    done = subprocess.run([PROMTOOL, "check", "rules", str(file)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{len(rules)} rules found" in done.stdout


def test_panels_do_not_overlap_and_each_has_an_id_of_its_own() -> None:
    taken: set[tuple[int, int]] = set()
    for panel in BOARD["panels"]:
        at = panel["gridPos"]
        cells = {(at["x"] + x, at["y"] + y) for x in range(at["w"]) for y in range(at["h"])}
        assert not cells & taken
        assert at["x"] + at["w"] <= 24
        taken |= cells
    assert len({panel["id"] for panel in BOARD["panels"]}) == len(BOARD["panels"])
