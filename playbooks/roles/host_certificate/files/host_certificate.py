#!/usr/bin/python3
"""Fetch this host's certificate from an address, and take it if the site's authority signed it for this host's key.

The services that use it, the names of the files in `certificate.d`, are restarted. Each run writes when certificates end, for the
node exporter. Prints what changed; a certificate that is refused or cannot be fetched is an error, and the old one stays.
"""

import ssl
import subprocess
import sys
import urllib.request
from pathlib import Path

FOLDER = Path("/etc/clusterwright")
AUTHORITY, CERTIFICATE, KEY = FOLDER / "authority.pem", FOLDER / "host.pem", FOLDER / "host.key"
UNUSED = FOLDER / "host.pem.unused"
SERIES = Path("/var/lib/prometheus/node-exporter/certificates.prom")
LARGEST = 1 << 16


def main() -> int:
    """Fetch, take, restart; then say when certificates end, whatever happened."""
    problem = ""
    try:
        if take(fetched(sys.argv[1])):
            print("new certificate")
        # also one that an earlier run took, which ended before all services had it
        if UNUSED.exists():
            restart()
            UNUSED.unlink()
    except (OSError, ValueError, subprocess.CalledProcessError) as error:
        problem = f"{sys.argv[1]}: {error} {getattr(error, 'stderr', '') or ''}"
    SERIES.parent.mkdir(parents=True, exist_ok=True)
    part = SERIES.with_suffix(".new")
    part.write_text(series())
    part.rename(SERIES)
    if problem:
        print(problem, file=sys.stderr)
    return int(bool(problem))


def fetched(address: str) -> str:
    """Return what an address shows."""
    with urllib.request.urlopen(address, timeout=30) as answer:
        return answer.read(LARGEST).decode("ascii")


def take(text: str) -> bool:
    """Take a certificate in place of the one that is there; return whether it is another one."""
    if CERTIFICATE.exists() and CERTIFICATE.read_text() == text:
        return False
    new = CERTIFICATE.with_suffix(".new")
    new.write_text(text)
    new.chmod(0o644)
    openssl("verify", "-CAfile", AUTHORITY, new)
    if openssl("x509", "-in", new, "-noout", "-pubkey") != openssl("pkey", "-in", KEY, "-pubout"):
        raise ValueError("the certificate is for another key")
    UNUSED.touch()
    new.rename(CERTIFICATE)
    return True


def restart() -> None:
    """Restart the services that use the certificate and run. One that is being installed may have a file here and no unit yet."""
    failed = []
    for unit in sorted((FOLDER / "certificate.d").iterdir()):
        try:
            if systemctl("show", "-P", "LoadState", unit.name).strip() != "not-found":
                systemctl("try-restart", unit.name)
        except subprocess.CalledProcessError as error:
            failed.append(f"{unit.name}: {error.stderr.strip()}")
    if failed:
        raise ValueError("; ".join(failed))


def systemctl(*arguments: str) -> str:
    """Return what systemctl prints."""
    return subprocess.run(["systemctl", *arguments], check=True, capture_output=True, text=True).stdout


def series() -> str:
    """Return when each certificate ends, in Prometheus's text format."""
    lines = ["# TYPE certificate_not_after_seconds gauge"]
    for path in (AUTHORITY, CERTIFICATE):
        if path.exists():
            said = openssl("x509", "-in", path, "-noout", "-enddate").strip().removeprefix("notAfter=")
            lines.append(f'certificate_not_after_seconds{{path="{path}"}} {ssl.cert_time_to_seconds(said)}')
    return "\n".join(lines) + "\n"


def openssl(*arguments: object) -> str:
    """Return what openssl prints."""
    done = subprocess.run(["openssl", *map(str, arguments)], capture_output=True, text=True, check=True)
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
