"""`why 195 --chain`: what drives go-live, from today on, in the order in which it drives."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

from tests.commands import json_of
from tests.conftest import Command


def chain(site: Path, *words: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json_of(site, "why", *words)["chain"]
    return found


def test_each_part_of_the_chain_goes_on_from_the_one_before_it(adopted: Path) -> None:
    found = chain(adopted, "195", "--chain")

    assert found[-1]["id"] == "195@site"
    assert all(after["held_by"] == before["id"] for before, after in pairwise(found))
    assert all(before["start"] <= after["start"] for before, after in pairwise(found))
    assert found[-1]["finish"] == json_of(adopted, "forecast")["finish"]
    assert all(one["reason"] or one["crew"] for one in found[1:] if "#" not in one["id"])


def test_waits_for_crews_are_parts_of_the_chain(adopted: Path, command: Command) -> None:
    waiting = [one for one in chain(adopted, "195", "--chain") if one["crew"]]

    assert waiting
    assert all(one["crew_wait_h"] > 0 and one["type"] is None for one in waiting)
    said = command("why", "195", "--chain", "--site", adopted).stdout
    assert "waits" in said


def test_a_promise_begins_the_chain_that_it_drives(adopted: Path, command: Command) -> None:
    at = ("--as", "operator", "--site", adopted)
    order = "001@site#gpu-server"
    placed = command(
        *("order", order, "--supplier", "ACME", "--reference", "PO 1", "--value", "9"),
        *("--out-of-sequence", "the price holds until Friday", *at),
    )
    assert placed.returncode == 0, placed.stderr
    assert command("promise", order, "--on", "2031-01-06", "--reason", "slipped", *at).returncode == 0

    first = chain(adopted, "195", "--chain")[0]

    assert (first["id"], first["held_by"]) == (f"{order}/1", "the day that the supplier promised")
    assert first["finish"].startswith("2031-01-06")


def test_any_order_or_activity_has_a_chain_and_without_the_option_the_state_alone(adopted: Path) -> None:
    assert chain(adopted, "001@site#gpu-server", "--chain")[-1]["id"] == "001@site#gpu-server"
    assert "chain" not in json_of(adopted, "why", "195@site")


def test_what_is_not_in_the_plan_has_no_chain(adopted: Path, command: Command) -> None:
    result = command("why", "999", "--site", adopted)

    assert result.returncode == 2
    assert "no activity '999'" in result.stderr
    assert "Traceback" not in result.stderr


def test_chains_that_nearly_drive_it_come_by_float_and_have_no_part_of_one_another(
    adopted: Path, command: Command
) -> None:
    result = command("why", "195", "--chain", "--json", "--site", adopted)
    near = json.loads(result.stdout)["near_critical"]

    floats = [one["float_h"] for one in near]
    assert len(near) == 5
    assert floats == sorted(floats)
    assert floats[-1] > 0
    members = [name for one in near for name in one["ids"]]
    assert len(members) == len(set(members))
    assert "What nearly drives it" in command("why", "195", "--chain", "--site", adopted).stdout


def test_a_chain_delayed_beyond_its_float_drives_go_live(second_day: None, adopted: Path) -> None:
    near = json_of(adopted, "why", "195", "--chain")["near_critical"]
    driving = {one["id"] for one in chain(adopted, "195", "--chain")}
    assert not driving & {name for one in near for name in one["ids"]}

    costs = []
    placed = json_of(adopted, "orders")
    ordering = {one["id"].partition("#")[0] for one in placed}
    planned = json_of(adopted, "plan", "--dates")["activities"]
    float_h = {one["id"]: one["dates"]["total_float_h"] for one in planned if one["dates"]}
    for one in near:
        # a delay of a step that places an order delays the order; crews are given out anew, so a chain has more room than its float
        work = [name for name in one["ids"] if "#" not in name and name not in ordering]
        late = one["tightest"] if one["tightest"] in work else work[-1]
        delay = f"{late}={2 * float_h[late] / 8 + 40:.0f}d"
        costs.append(json_of(adopted, "whatif", "--delay", delay, "--samples", "20")["cost_usd"])

    # the delay of a chain that only the order of a trade's work holds may be absorbed by another order
    assert min(costs) > 0, costs


def test_the_forecast_says_how_many_more_drive_go_live_than_it_names(adopted: Path, command: Command) -> None:
    said = command("forecast", "--site", adopted).stdout
    critical = json_of(adopted, "forecast")["critical"]

    assert f"driven by {', '.join(critical[:12])} and {len(critical) - 12} more\n" in said
