"""The drill of alerts: every rule of its groups has a way to be fired, the way breaks the rule, and only what arrived counts."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import yaml

from tests.lab.playing import FOLDER
from tests.needs import needs
from tests.playbooks.scripts import script

RULES = FOLDER / "roles" / "alert_rules" / "files" / "alerts.yml"
ROLE = FOLDER / "roles" / "alert_drill"
drill = script("proof", "alert_drill")


def loaded(file: Path) -> Any:
    """Return the content of a YAML file."""
    return yaml.safe_load(file.read_text(encoding="utf-8"))


WAYS: dict[str, dict[str, Any]] = loaded(ROLE / "vars" / "main.yml")["alert_drill_ways"]
GROUPS = loaded(ROLE / "meta" / "argument_specs.yml")["argument_specs"]["main"]["options"]["alert_drill_group"][
    "choices"
]


def notification(alert: str, instance: str, status: str, received: float) -> dict[str, Any]:
    """Return a notification as the channel keeps it, of an alert that began to fire at 12:00:00 UTC."""
    began = "2026-11-21T12:00:00.123456789Z"
    one = {"labels": {"alertname": alert, "instance": instance}, "status": status, "startsAt": began}
    return {"received": received, "notification": {"alerts": [one]}}


NOON = 1795262400.0


def test_every_rule_of_the_groups_has_a_way_to_be_fired() -> None:
    rules = {r["alert"] for g in loaded(RULES)["groups"] if g["name"] in GROUPS for r in g["rules"]}

    assert rules == set(WAYS)


@needs("promtool")  # of the package prometheus
def test_every_way_breaks_its_rule_within_the_patience(tmp_path: Path) -> None:
    tests = []
    for alert, way in WAYS.items():
        series = {f'{name}{{instance="x"}}': f"{value}+0x40" for name, value in way.get("exposed", {}).items()}
        series |= {f'{name}{{instance="x"}}': f"0+{speed * 15:g}x40" for name, speed in way.get("counted", {}).items()}
        if "silent" in way:
            series[f'up{{instance="x", job="{way["silent"]}"}}'] = "0+0x40"
        fires = {
            "expr": f'count(ALERTS{{alertname="{alert}", alertstate="firing"}})',
            "eval_time": "10m",
            "exp_samples": [{"labels": "{}", "value": 1}],
        }
        given = [{"series": name, "values": values} for name, values in series.items()]
        tests.append({"interval": "15s", "name": alert, "input_series": given, "promql_expr_test": [fires]})
    (tmp_path / "drill_test.yml").write_text(yaml.safe_dump({"rule_files": [str(RULES)], "tests": tests}))

    done = subprocess.run(
        ["promtool", "test", "rules", str(tmp_path / "drill_test.yml")], capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stdout + done.stderr


def test_the_database_is_told_of_the_drill_and_of_a_target_that_is_silent() -> None:
    ways = {"A": {"exposed": {"a": 1}}, "B": {"counted": {"b_total": 0.5}}, "C": {"silent": "modbus"}}

    assert drill.exposition(ways, 60.0) == "a 1\nb_total 30.0\n"
    files = {name: json.loads(text) for name, text in drill.targets(ways, "127.0.0.1:4000", "drill-1").items()}
    assert files == {
        "drill-drill.json": [{"targets": ["127.0.0.1:4000"], "labels": {"instance": "drill-1"}}],
        "modbus-drill.json": [{"targets": [drill.NOBODY], "labels": {"instance": "drill-1"}}],
    }


def test_only_what_this_drill_fired_counts_and_the_first_arrival_is_taken() -> None:
    received = [
        notification("A", "drill-1", "firing", NOON + 7),
        notification("A", "drill-1", "firing", NOON + 99),
        notification("B", "node-01", "firing", NOON + 8),
        notification("C", "drill-1", "resolved", NOON + 9),
    ]

    found = drill.arrivals(received, "drill-1")

    assert found == {"A": 7.0}
    said = drill.verdict({"A", "B"}, found, "fired", "delivery")
    assert said["fired"] == {"value": 0.5, "note": "did not arrive: B"}
    assert said["delivery"]["value"] is None
    assert drill.verdict({"A"}, found, "fired", "delivery")["delivery"]["value"] == 7.0
    assert set(drill.verdict({"A"}, found, "fired", "")) == {"fired"}
