#!/usr/bin/python3
"""Grant a person access for some hours: `kubernetes-access PERSON [--hours N]` prints a configuration for kubectl.

Each call makes a new key here. Its certificate expires after those hours. A person who is in no account is refused.
"""

import argparse
import base64
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

KUBECTL = "/var/lib/rancher/rke2/bin/kubectl"
ADMIN = "/etc/rancher/rke2/rke2.yaml"
CONFIGURATION = Path("/etc/rancher/rke2/config.yaml")
AUTHORITY = Path("/var/lib/rancher/rke2/server/tls/server-ca.crt")
PATIENCE_S = 30


def main() -> None:
    """Look the person up, have a certificate signed, print the configuration."""
    parser = argparse.ArgumentParser(description="Grant a person access to the cluster for a time.")
    parser.add_argument("person")
    parser.add_argument("--hours", type=int, default=12, help="how long the access holds (default: %(default)s)")
    options = parser.parse_args()
    bound = json.loads(kubectl("get", "rolebindings", "-A", "-o", "json"))
    accounts = accounts_of(options.person, bound["items"])
    if not accounts:
        sys.exit(f"no account lists {options.person}: add the person to an account, and run step 157 again")
    key, certificate = signed(options.person, options.hours * 3600)
    address = registered(CONFIGURATION.read_text())
    json.dump(configuration(options.person, accounts, address, AUTHORITY.read_bytes(), certificate, key), sys.stdout)


def accounts_of(person: str, bindings: list[dict[str, Any]]) -> list[str]:
    """Return the accounts of which a person is a member."""
    return sorted(
        binding["metadata"]["namespace"]
        for binding in bindings
        if binding["roleRef"]["name"] == "account-member"
        and any(s["kind"] == "User" and s["name"] == person for s in binding.get("subjects") or ())
    )


def registered(text: str) -> str:
    """Return the address of the cluster from this server's configuration."""
    lines = text.splitlines()
    return lines[lines.index("tls-san:") + 1].strip(" -")


def signed(person: str, seconds: int) -> tuple[bytes, str]:
    """Make a key and have the cluster sign it for a person. Return the key, and the certificate as the API wrote it."""
    name = f"access-{person}-{time.time_ns()}"
    with tempfile.TemporaryDirectory() as folder:
        key, request = Path(folder) / "key", Path(folder) / "request"
        new_key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", str(key))
        asked = ["openssl", "req", "-new", *new_key, "-subj", f"/CN={person}", "-out", str(request)]
        subprocess.run(asked, check=True, capture_output=True)
        private, public = key.read_bytes(), request.read_bytes()
    kubectl("create", "-f", "-", stdin=json.dumps(signing_request(name, public, seconds)))
    try:
        kubectl("certificate", "approve", name)
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:
            seen = json.loads(kubectl("get", "certificatesigningrequest", name, "-o", "json"))
            if certificate := seen.get("status", {}).get("certificate"):
                return private, certificate
            time.sleep(0.5)
    finally:
        kubectl("delete", "certificatesigningrequest", name)
    sys.exit(f"the cluster signed nothing for {person} within {PATIENCE_S} s")


def signing_request(name: str, request: bytes, seconds: int) -> dict[str, Any]:
    """Return the object that requests a certificate."""
    return {
        "apiVersion": "certificates.k8s.io/v1",
        "kind": "CertificateSigningRequest",
        "metadata": {"name": name},
        "spec": {
            "signerName": "kubernetes.io/kube-apiserver-client",
            "usages": ["client auth"],
            "expirationSeconds": seconds,
            "request": base64.b64encode(request).decode(),
        },
    }


def configuration(
    person: str, accounts: list[str], address: str, authority: bytes, certificate: str, key: bytes
) -> dict[str, Any]:
    """Return a configuration for kubectl with a context for each account. The first context is the current one."""
    cluster = {"server": f"https://{address}:6443", "certificate-authority-data": base64.b64encode(authority).decode()}
    access = {"client-certificate-data": certificate, "client-key-data": base64.b64encode(key).decode()}
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "cluster", "cluster": cluster}],
        "users": [{"name": person, "user": access}],
        "contexts": [{"name": a, "context": {"cluster": "cluster", "user": person, "namespace": a}} for a in accounts],
        "current-context": accounts[0],
    }


def kubectl(*words: str, stdin: str | None = None) -> str:
    """Ask the API as its administrator; end where it refuses."""
    command = [KUBECTL, "--kubeconfig", ADMIN, *words]
    done = subprocess.run(command, input=stdin, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"kubectl {words[0]} {words[1]}: {done.stderr.strip()}")
    return done.stdout


if __name__ == "__main__":
    main()
