"""Answers of Prometheus' query API: the share of targets that are up, and of series that exist.

An empty answer is not measured: a query for `up` that finds nothing asks for the wrong job. NaN is not measured either.
"""

from __future__ import annotations

from decimal import Decimal
from functools import partial
from typing import Any

from steps.acceptance.handed import Found, Handed, NotMeasuredError, share_of
from steps.acceptance.metric import Metric, Tool


def up_ratio(handed: Handed, name: str) -> Found:
    """Return the share of targets that are up, rounded down."""
    targets = _vector(handed, name)
    dark = [series["metric"] for series in targets if _value(series) != 1]
    down = [target.get("instance", "?") for target in dark]
    share = share_of(len(targets) - len(down), len(targets))
    return Found(share, f"down: {', '.join(down[:5])}" if down else "")


def present_ratio(handed: Handed) -> Found:
    """Return the share of the GPUs' planned series that exist, rounded down; a count query counts them."""
    planned = Decimal(str(handed.document("planned_series")))
    if planned <= 0 or not planned.is_finite():
        handed.garbled()
    (series,) = _vector(handed, "prometheus_gpu_series")
    return Found(share_of(min(_value(series), planned), planned))


def sensors_seen(handed: Handed) -> Found:
    """Return the share of the planned devices and sensors that have a temperature now, rounded down.

    The map names each device whose temperatures are read, and each sensor as a series names it: its instance, or instance and
    sensor. Sensors that the design has and the map does not name are not seen.
    """
    planned = handed.document("planned_sensors")
    devices, sensors = set(planned["devices"]), set(planned["sensors"])
    unnamed = max(Decimal(0), Decimal(str(handed.design.get("sensors", 0))) - len(sensors))
    seen: set[str] = set()
    for series in _vector(handed, "prometheus_thermal"):
        labels = series["metric"]
        seen |= {labels["instance"], f"{labels['instance']} {labels.get('sensor', '')}"}
    if not devices | sensors and not unnamed:
        raise NotMeasuredError("the inventory names no device with temperatures, and the design has no sensors")
    return _share_seen(devices | sensors, seen, unnamed, ("not seen", "not named in thermal_sensors"))


def power_answering(handed: Handed) -> Found:
    """Return the share of the planned power strips and servers whose power is read now, rounded down.

    The inventory names strips and servers. Strips that the design has and the inventory does not name do not answer.
    """
    planned = handed.document("planned_power")
    strips, servers = set(planned["strips"]), set(planned["servers"])
    of_design = handed.design.get("racks", 0) * handed.design.get("rack_feeds", 0)
    unnamed = max(Decimal(0), Decimal(str(of_design)) - len(strips))
    answering = {
        series["metric"]["instance"] for series in _vector(handed, "prometheus_power_up") if _value(series) == 1
    }
    if not strips | servers and not unnamed:
        raise NotMeasuredError(
            "the inventory names no power strip and no server with a controller, and the design has none"
        )
    return _share_seen(strips | servers, answering, unnamed, ("no answer", "not named in pdus"))


def _share_seen(planned: set[str], seen: set[str], unnamed: Decimal, words: tuple[str, str]) -> Found:
    """Return the share of what is planned that is seen. `unnamed` is how much of the design the inventory does not name."""
    dark = sorted(planned - seen)
    notes = [f"{words[0]}: {', '.join(dark[:5])}"] if dark else []
    notes += [f"{words[1]}: {unnamed:g} of the design"] if unnamed else []
    return Found(share_of(len(planned) - len(dark), len(planned) + unnamed), "; ".join(notes))


def alerts_firing(handed: Handed) -> Found:
    """Count alerts that fire; the query has `or vector(0)`, so that it returns 0 and not an empty vector for none."""
    (series,) = _vector(handed, "prometheus_alerts")
    return Found(_value(series))


def _value(series: dict[str, Any]) -> Decimal:
    _, text = series["value"]
    value = Decimal(text)
    if not value.is_finite() or not isinstance(text, str):
        raise NotMeasuredError(f"Prometheus has no number: {text}")
    return value


def _vector(handed: Handed, name: str) -> list[dict[str, Any]]:
    document = handed.document(name)
    if document["status"] == "error":
        raise NotMeasuredError(f"Prometheus: {document['error']}")
    if document["status"] != "success" or document["data"]["resultType"] != "vector":
        handed.garbled()
    found: list[dict[str, Any]] = document["data"]["result"]
    if not found:
        raise NotMeasuredError("Prometheus finds no such series")
    return found


def _tool(name: str, query: str, *metrics: Metric) -> Tool:
    return Tool("Prometheus", name, f"GET /api/v1/query?query={query}", metrics)


NODES = _tool(
    "prometheus_up", 'up{job="node"}', Metric("exporter.up_ratio", "ratio", partial(up_ratio, name="prometheus_up"))
)
DCGM = _tool(
    "prometheus_dcgm_up",
    'up{job="dcgm"}',
    Metric("dcgm.up_ratio", "ratio", partial(up_ratio, name="prometheus_dcgm_up")),
)
THERMAL = _tool(
    "prometheus_thermal",
    'count by (instance, sensor) ({__name__=~".+_celsius"})',
    Metric("thermal.sensors_seen_ratio", "ratio", sensors_seen),
)
POWER = _tool(
    "prometheus_power_up",
    'group by (job, instance) ({__name__=~"rPDU2DeviceStatusPower|redfish_power_watts"})'
    ' or 0 * min by (job, instance) ({__name__=~"up|redfish_up", job=~"snmp|redfish"})',
    Metric("power.sources_answering_ratio", "ratio", power_answering),
)
SERIES = _tool(
    "prometheus_gpu_series", "count(DCGM_FI_DEV_GPU_TEMP)", Metric("gpu.series_present_ratio", "ratio", present_ratio)
)
ALERTS = _tool(
    "prometheus_alerts", "count(ALERTS{alertstate='firing'}) or vector(0)",
    Metric("alerts.firing", "count", alerts_firing),
)  # fmt: skip
