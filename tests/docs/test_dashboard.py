"""The dashboard shows metrics that there are."""

import json
import re
from pathlib import Path

from longterm.observe.metrics import Metrics

DASHBOARD = Path(__file__).parents[2] / "deploy" / "grafana-dashboard.json"


def test_every_metric_of_the_dashboard_is_one_of_ours() -> None:
    """b9"""
    known = {
        f"{metric.name}{ending}"
        for metric in Metrics().registry.collect()
        for ending in ("", "_total", "_bucket", "_count", "_sum")
    }
    panels = json.loads(DASHBOARD.read_text())["panels"]
    shown = {
        name
        for panel in panels
        for target in panel["targets"]
        for name in re.findall(r"longterm_\w+", target["expr"])
    }

    assert len(shown) >= 10
    assert shown <= known
