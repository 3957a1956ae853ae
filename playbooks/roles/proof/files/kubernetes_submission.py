"""Proves each way to submit: kubectl and the interface over HTTP, both with the access that a person gets, with the same result.

Argument: the command that grants access.
"""

import base64
import json
import ssl
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path
from typing import Any

from kubernetes_jobs import PERSON, Document, Found, ended, job, kubectl, prove, settings

METRIC = "submit.ways_failed"


def find() -> Found:
    """Submit one job by each way, and count those that do not end well."""
    image = settings()["image"]
    given = subprocess.run([sys.argv[1], PERSON, "--hours", "1"], capture_output=True, text=True, check=False)
    if given.returncode != 0:
        return {METRIC: (2, f"no access for {PERSON}: {given.stderr.strip()[:200]}")}
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder) / "config"
        config.write_text(given.stdout)
        refused = {
            "kubectl": by_kubectl(config, job("kubectl", "true", image=image)),
            "http": over_http(json.loads(given.stdout), job("http", "true", image=image), Path(folder)),
        }
    failed = [f"{way}: {why}" for way, why in refused.items() if why]
    ends = ended(way for way, why in refused.items() if not why)
    failed += [f"{way}: {how or 'did not end'}" for way, how in ends.items() if how != "Complete"]
    note = "kubectl and HTTP with a person's own access; a portal is not among the ways"
    return {METRIC: (len(failed), "; ".join(failed) or note)}


def by_kubectl(config: Path, document: Document) -> str:
    """Create a job with kubectl. Return why it is refused, or an empty text if it is accepted."""
    done = kubectl("create", "-f", "-", stdin=json.dumps(document), config=str(config))
    return done.stderr.strip()[:200] if done.returncode else ""


def over_http(config: dict[str, Any], document: Document, folder: Path) -> str:
    """Create a job with the API itself and the certificate of a configuration. Return why it is refused, or an empty text."""
    cluster, person = config["clusters"][0]["cluster"], config["users"][0]["user"]
    for name, text in (("crt", person["client-certificate-data"]), ("key", person["client-key-data"])):
        (folder / name).write_bytes(base64.b64decode(text))
    trusted = ssl.create_default_context(cadata=base64.b64decode(cluster["certificate-authority-data"]).decode())
    trusted.load_cert_chain(folder / "crt", folder / "key")
    request = urllib.request.Request(
        f"{cluster['server']}/apis/batch/v1/namespaces/{PERSON}/jobs",
        data=json.dumps(document).encode(),
        headers={"Content-Type": "application/json"},
    )
    try:
        with urllib.request.urlopen(request, timeout=30, context=trusted):
            return ""
    except OSError as error:
        return str(error)


if __name__ == "__main__":
    prove((METRIC,), find)
