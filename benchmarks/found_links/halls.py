"""Random halls of simhall with random faults, each as turnup-check judges it and as its devices answer over HTTP.

Runs in an environment of its own, which has simhall and turnup-check and nothing of ours: `python halls.py FOLDER COUNT SEED`.
"""

from __future__ import annotations

import asyncio
import csv
import json
import random
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
from simhall import Fault, Hall, HallSpec
from simhall.hall import Conflict
from simhall.server import create_app
from turnup_check.collectors import HttpCollector
from turnup_check.engine import check
from turnup_check.models import Intent

WAIT_S, SLEEP_S = 0.4, 0.8
"""How long a device is waited for, and how long one sleeps that does not answer."""

EAPI = {
    "jsonrpc": "2.0",
    "method": "runCmds",
    "params": {"version": 1, "cmds": ["show lldp neighbors detail", "show interfaces status"], "format": "json"},
    "id": "1",
}
KINDS = ("wrong_port", "missing_link", "swap_pair", "link_degraded") * 3 + (
    *("unreachable_node", "pdu_outlet_off", "lldp_port_id_mac", "partial_redfish", "firmware_off_baseline"),
    *("gpu_unhealthy", "gpu_missing", "nvlink_degraded", "node_health_warning", "coolant_leak"),
)


def a_hall(draw: random.Random) -> Hall:
    """Return a hall of any shape with up to twelve faults."""
    leaves = draw.choice((1, 2, 4))
    hall = Hall.generate(
        HallSpec(
            racks=draw.randint(1, 3),
            nodes_per_rack=draw.randint(2, 8),
            ports_per_node=draw.choice((1, 2, 4, 8)) * leaves,
            leaves_per_rack=leaves,
            switch_vendor=draw.choice(("nvidia", "arista")),
            base_url="http://hall",
            seed=draw.randrange(10**6),
        )
    )
    for _ in range(draw.randint(0, 12)):
        with suppress(Conflict):
            hall.inject(Fault(**a_fault(draw, hall)))
    return hall


def a_fault(draw: random.Random, hall: Hall) -> dict[str, Any]:
    """Return a fault of any kind, with all that one of its kind needs."""
    kind = draw.choice(KINDS)
    cables, nodes, leaves = sorted(hall.intent_cables), sorted(hall.nodes), sorted(hall.leaves)
    leaf = draw.choice(leaves)
    one, other = draw.sample(cables, 2)
    about: dict[str, Any] = {
        "wrong_port": {"cable": one, "to_device": leaf, "to_interface": draw.choice(hall.leaves[leaf].ports)},
        "missing_link": {"cable": one},
        "swap_pair": {"cable_a": one, "cable_b": other},
        "link_degraded": {"cable": one, "speed_gbps": draw.choice((100, 200, "down"))},
        "unreachable_node": {
            "node": draw.choice(nodes * 2 + leaves),
            "mode": draw.choice(("timeout", "http_500", "refused")),
        },
        "firmware_off_baseline": {"node": draw.choice(nodes), "component": "bmc", "version": "1.11.0"},
        "gpu_unhealthy": {"node": draw.choice(nodes), "gpu": 0},
        "gpu_missing": {"node": draw.choice(nodes), "gpu": 0},
        "lldp_port_id_mac": {"leaf": leaf},
    }.get(kind, {"node": draw.choice(nodes)})
    return {"kind": kind} | about


async def answers(hall: Hall, client: httpx.AsyncClient) -> dict[str, Any]:
    """Return what each device of a hall answers, or why it does not."""

    async def ask(device: str) -> Any:
        try:
            return await asyncio.wait_for(asked(hall, client, f"http://hall/dev/{device}", device), WAIT_S * 4)
        except (httpx.HTTPError, TimeoutError) as error:
            return {"unreachable": str(error) or type(error).__name__}

    devices = [*hall.nodes, *hall.leaves]
    return dict(zip(devices, await asyncio.gather(*map(ask, devices)), strict=True))


async def asked(hall: Hall, client: httpx.AsyncClient, base: str, device: str) -> Any:
    """Return the ports of one device: of a server those that its controller lists."""

    async def get(path: str) -> Any:
        answer = await asyncio.wait_for(client.get(base + path), WAIT_S)
        return answer.raise_for_status().json()

    if device in hall.leaves:
        if hall.leaves[device].vendor == "nvidia":
            return await get("/nvue_v1/interface?rev=applied")
        answer = await asyncio.wait_for(client.post(f"{base}/command-api", json=EAPI), WAIT_S)
        return answer.raise_for_status().json()
    ports = []
    for chassis in (await get("/redfish/v1/Chassis"))["Members"]:
        adapters = (await get(chassis["@odata.id"]))["NetworkAdapters"]["@odata.id"]
        for adapter in (await get(adapters))["Members"]:
            listed = (await get(adapter["@odata.id"]))["Ports"]["@odata.id"]
            ports += [await get(port["@odata.id"]) for port in (await get(listed))["Members"]]
    return ports


async def write_hall(folder: Path, hall: Hall) -> None:
    """Write the schedule, what turnup-check finds, and what the devices answer."""
    (folder / "found").mkdir(parents=True)
    transport = httpx.ASGITransport(app=create_app(hall, timeout_sleep_s=SLEEP_S))
    async with httpx.AsyncClient(transport=transport, base_url="http://hall") as client:
        intent = Intent.model_validate(hall.intent())
        _, result = await check(intent, HttpCollector(client), timeout=WAIT_S)
        said = await answers(hall, client)
    racks = {device["name"]: device["rack"] for device in hall.intent()["devices"]}
    with (folder / "cables.csv").open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(("cable", "a_device", "a_port", "a_rack", "b_device", "b_port", "b_rack", "gbit"))
        for label, cable in hall.intent_cables.items():
            a, b = cable.a, cable.b
            ends = (a.device, a.interface, racks[a.device], b.device, b.interface, racks[b.device])
            table.writerow((label, *ends, cable.speed_gbps))
    for device, document in said.items():
        (folder / "found" / f"{device}.json").write_text(json.dumps(document), encoding="utf-8")
    findings = [each.model_dump(mode="json", by_alias=True) for each in result.findings]
    faults = [fault.summary() for fault in hall.faults()]
    (folder / "turnup.json").write_text(json.dumps({"findings": findings, "faults": faults}), encoding="utf-8")


async def main() -> None:
    """Write so many halls."""
    folder, count, seed = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    for number in range(count):
        await write_hall(folder / f"{number:03}", a_hall(random.Random(seed * 1000 + number)))


if __name__ == "__main__":
    asyncio.run(main())
