"""Writes what GlusterFS knows of a volume where the node exporter reads it: bricks, missing copies, damaged copies, room, limits, operations, latency.

Arguments: the volume, and the file. Without an answer the series get old, which an alert sees.
"""

import re
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path

Series = Iterator[str]

SCRUBBED = re.compile(r"^Node: (\S+)$.*?^Error count: (\d+)$", re.MULTILINE | re.DOTALL)


def gluster(*words: str) -> ET.Element:
    """Return what GlusterFS answers."""
    command = ["gluster", "--mode=script", "--xml", *words]
    said = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout
    answer = ET.fromstring(said)
    if answer.findtext("opRet") != "0":
        raise SystemExit(f"{' '.join(words)}: {answer.findtext('opErrstr')}")
    return answer


def line(name: str, value: object, **labels: str) -> str:
    """Return a series as the exporter reads it."""
    words = ",".join(f'{key}="{text}"' for key, text in labels.items())
    return f"gluster_{name}{{{words}}} {value}"


def bricks(volume: str) -> Series:
    """Yield whether each brick is there, and its room. GlusterFS is silent about those of a server that is away."""
    away = {brick.findtext("name", "?") for brick in gluster("volume", "info", volume).iter("brick")}
    for node in gluster("volume", "status", volume, "detail").iter("node"):
        brick = f"{node.findtext('hostname')}:{node.findtext('path')}"
        away.discard(brick)
        labels = {"volume": volume, "brick": brick}
        yield line("brick_up", int(node.findtext("status") == "1"), **labels)
        for name in ("sizeTotal", "sizeFree"):
            if value := node.findtext(name):
                yield line(f"brick_{name[4:].lower()}_bytes", value, **labels)
    yield from (line("brick_up", 0, volume=volume, brick=brick) for brick in away)


def copies(volume: str) -> Series:
    """Yield how many entries wait for a copy, by the brick that knows of them."""
    for brick in gluster("volume", "heal", volume, "info").iter("brick"):
        number = brick.findtext("numberOfEntries", "-")
        if number.isdigit():
            yield line("heal_entries", number, volume=volume, brick=brick.findtext("name", "?"))


def limits(volume: str) -> Series:
    """Yield the limit of each folder that has one, and what it holds. GlusterFS does not answer while one was removed with its limit."""
    try:
        answer = gluster("volume", "quota", volume, "list")
    except subprocess.CalledProcessError as error:
        print(f"no limits: {error}", file=sys.stderr)
        return
    for limit in answer.iter("limit"):
        labels = {"volume": volume, "folder": limit.findtext("path", "?")}
        yield line("quota_limit_bytes", limit.findtext("hard_limit"), **labels)
        yield line("quota_used_bytes", limit.findtext("used_space"), **labels)


def load(volume: str) -> Series:
    """Yield bytes, operations and latency of each brick since it started."""
    for brick in gluster("volume", "profile", volume, "info", "cumulative").iter("brick"):
        labels = {"volume": volume, "brick": brick.findtext("brickName", "?")}
        total = brick.find("cumulativeStats")
        if total is None:
            continue
        yield line("brick_read_bytes_total", total.findtext("totalRead", "0"), **labels)
        yield line("brick_written_bytes_total", total.findtext("totalWrite", "0"), **labels)
        for fop in total.iter("fop"):
            kind = labels | {"operation": fop.findtext("name", "?").lower()}
            yield line("brick_operations_total", fop.findtext("hits", "0"), **kind)
            yield line("brick_latency_seconds", float(fop.findtext("avgLatency", "0")) / 1e6, **kind)


def rot(volume: str) -> Series:
    """Yield by server how many copies its last scrub found damaged; nothing where files are not signed. `localhost` is who asks."""
    command = ["gluster", "--mode=script", "volume", "bitrot", volume, "scrub", "status"]
    said = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120).stdout
    yield from (line("scrub_errors", number, volume=volume, node=node) for node, number in SCRUBBED.findall(said))


def main() -> None:
    """Ask, and put the answer in place at once."""
    volume, path = sys.argv[1], Path(sys.argv[2])
    said = [said for part in (bricks, copies, limits, load, rot) for said in part(volume)]
    said.append(line("series_timestamp_seconds", int(time.time()), volume=volume))
    fresh = path.with_suffix(".new")
    fresh.write_text("\n".join(sorted(said)) + "\n")
    fresh.chmod(0o644)
    fresh.replace(path)


if __name__ == "__main__":
    main()
