"""The staging area: how many servers its benches burn in at a time, and what a bench cannot do."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil

from steps.design.figures import Chosen, Figures
from steps.design.findings import Finding


def bench_servers(f: Figures) -> int:
    """Return how many servers the benches burn in at a time, at least 1: their places, or what their power carries."""
    places = int(f["test_benches"])
    carried = int(round(f["bench_power_kw"] / f["node_kw"], 9)) if f["bench_power_kw"] else places
    return max(1, min(places, carried))


def staging_benches(f: Figures, choices: Chosen) -> int:
    """Return the benches that are bought: a place for each server of a soak, or one for the repairs of 64 servers that soak in racks."""
    return int(min(f["test_benches"], f["nodes"])) if choices["burn_in"] == "bench" else ceil(f["nodes"] / 64)


def findings(f: Figures, choices: Chosen) -> Iterator[Finding]:
    """Yield an error for benches that cannot power one server, and for whole racks on benches or built from parts."""
    on_bench = choices["burn_in"] == "bench"
    if on_bench and 0 < f["bench_power_kw"] < f["node_kw"]:
        yield Finding(
            "bench-without-power",
            "error",
            "staging",
            f"the benches have {f['bench_power_kw']:g} kW, and one server draws {f['node_kw']:g}",
            "bench_power_kw of at least one server, or 0 for full load on every place",
            {"bench_power_kw": f["bench_power_kw"], "node_kw": f["node_kw"]},
        )
    if choices["server_form"] != "rack":
        return
    if choices["build"] == "white-box":
        yield Finding(
            "racks-from-parts",
            "error",
            "staging",
            "racks that come whole are not built from parts here",
            "build: oem, or server_form: node",
            {},
        )
    if on_bench:
        yield Finding(
            "racks-on-benches",
            "error",
            "staging",
            "racks that come whole do not go on benches: their trays run on the rack's busbar and loop",
            "burn_in: in-place",
            {},
        )
