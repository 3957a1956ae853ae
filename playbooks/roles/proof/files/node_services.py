"""Proves that a node has what the site's services need of it: settings, a certificate, a way for its logs, people.

Arguments: an account of the directory, when a line was logged here, and `found` if the store has that line by now.
"""

import json
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

WRITTEN = {
    "/etc/sysctl.d/90-cluster.conf": "kernel settings",
    "/etc/security/limits.d/90-cluster.conf": "limits",
    "/etc/rsyslog.d/20-ship.conf": "setting of where logs go",
    "/etc/sssd/sssd.conf": "setting of where people are found",
}
SERVICES = ("rsyslog", "sssd")
CERTIFICATE = Path("/etc/clusterwright/host.pem")


def main() -> None:
    """Count what is missing, and name it."""
    account, began, line = sys.argv[1:]
    is_found = line == "found"
    lacking = [*missing(account), *(() if is_found else ("its line is not in the log store",))]
    delay = round(time.time() - float(began), 3) if is_found else None
    note = "log line to search, as it was looked for here" if is_found else "its line is not in the log store"
    services = {"value": len(lacking), "note": "; ".join(lacking) or "settings, logs and people are there"}
    print(json.dumps({"node.services_missing": services, "node.log_delay_s": {"value": delay, "note": note}}))


def missing(account: str) -> Iterator[str]:
    """Yield what this host does not have."""
    yield from (f"no {what} ({path})" for path, what in WRITTEN.items() if not Path(path).is_file())
    if "hosts of the cluster" not in Path("/etc/hosts").read_text():
        yield "no names of the cluster's hosts (/etc/hosts)"
    yield from lapsed()
    yield from (f"{service} does not run" for service in SERVICES if not succeeds("systemctl", "is-active", service))
    if not succeeds("getent", "-s", "sss", "passwd", account):
        yield f"the directory's account {account} is not known"


def lapsed() -> Iterator[str]:
    """Yield what is wrong with the host's certificate: the log store refuses lines without a good one."""
    if not CERTIFICATE.is_file():
        yield f"no certificate ({CERTIFICATE})"
        return
    asked = ["openssl", "x509", "-in", str(CERTIFICATE), "-noout", "-enddate"]
    ends = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip().partition("=")[2]
    if ssl.cert_time_to_seconds(ends) < time.time():
        yield f"its certificate ended on {ends} ({CERTIFICATE})"


def succeeds(*command: str) -> bool:
    """Return whether a command is there and ends well."""
    try:
        return subprocess.run(command, capture_output=True, check=False, timeout=30).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


if __name__ == "__main__":
    main()
