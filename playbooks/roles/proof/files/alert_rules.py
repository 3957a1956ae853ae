"""Proves that every rule has a test, and that the pager rings: this host's own exporter is stopped until the alert arrives.

Arguments: this host's name as the metrics database knows it, the channel's address, then the files of rules; a file's
tests lie beside it. What was stopped runs again at the end, and the all-clear is waited for.
"""

import json
import re
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

EXPORTER = "prometheus-node-exporter"
PATIENCE_S = 180.0


def untested(rules: list[Path]) -> list[str]:
    """Return the alerts that no test names."""
    alerts = [name for file in rules for name in re.findall(r"alert: (\w+)", file.read_text())]
    tested = {n for file in rules for n in re.findall(r"alertname: (\w+)", tests_of(file).read_text())}
    return sorted(set(alerts) - tested)


def tests_of(rules: Path) -> Path:
    """Return the path of the tests for a file of rules."""
    return rules.with_name(f"{rules.stem}_test.yml")


def arrived(channel: str, status: str, host: str, since: float) -> float | None:
    """Return when HostDown of this host arrived with that status, or None if it did not."""
    with urllib.request.urlopen(channel, timeout=10) as answer:
        received = [json.loads(line) for line in answer.read().splitlines()]
    for one in received:
        for alert in one["notification"]["alerts"]:
            labels = alert["labels"]
            is_it = labels["alertname"] == "HostDown" and labels["instance"] == host and alert["status"] == status
            if is_it and one["received"] >= since:
                return float(one["received"])
    return None


def waited(channel: str, status: str, host: str, since: float) -> float | None:
    """Return after how many seconds it arrived, or None if it did not arrive in time."""
    while time.time() < since + PATIENCE_S:
        if came := arrived(channel, status, host, since):
            return came - since
        time.sleep(1)
    return None


def main() -> None:
    """Count the rules without tests, then ring the pager."""
    host, channel, *names = sys.argv[1:]
    rules = [Path(name) for name in names]
    for file in rules:
        subprocess.run(
            ["promtool", "test", "rules", tests_of(file).name], cwd=file.parent, check=True, capture_output=True
        )
    missing = untested(rules)
    since = time.time()
    subprocess.run(["systemctl", "stop", EXPORTER], check=True)
    try:
        delay = waited(channel, "firing", host, since)
    finally:
        subprocess.run(["systemctl", "start", EXPORTER], check=True)
    cleared = waited(channel, "resolved", host, time.time()) if delay else None
    note = f"cleared after {cleared:.0f} s" if cleared else "never cleared"
    print(
        json.dumps(
            {
                "alert.rules_untested": {"value": len(missing), "note": ", ".join(missing)},
                "alert.page_delay_s": {"value": round(delay, 1) if delay and cleared else None, "note": note},
            }
        )
    )


if __name__ == "__main__":
    main()
