#!/usr/bin/python3
"""Sign every certificate that is asked for and is missing, differs from its request, or has a third of its days left.

A request is a file that root writes: the public key of a host, its names, the days for which the certificate is good, and its use, if
it is not for both ends of a connection.
Prints the names that were signed. No certificate can sign another.
"""

import fcntl
import ipaddress
import json
import subprocess
import sys
from pathlib import Path

FOLDER = Path("/var/lib/site_authority")
AUTHORITY = Path("/etc/clusterwright/authority.pem")
KEY = Path("/etc/clusterwright/secrets/authority.key")


def main() -> int:
    """Sign; one request that cannot be signed does not hold up the others."""
    rc = 0
    with (FOLDER / "requests" / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for request in sorted((FOLDER / "requests").glob("*.json")):
            issued = FOLDER / "issued" / f"{request.stem}.pem"
            answered = request.with_suffix(".signed")
            try:
                if not (answered.exists() and answered.read_text() == request.read_text() and is_good(request, issued)):
                    sign(request, issued)
                    answered.write_text(request.read_text())
                    print(request.stem)
            except (KeyError, TypeError, ValueError, subprocess.CalledProcessError) as error:
                print(f"{request}: {error}: {getattr(error, 'stderr', '')}", file=sys.stderr)
                rc = 1
    return rc


def is_good(request: Path, issued: Path) -> bool:
    """Return whether a certificate is there, is this authority's, and has more than a third of its days left."""
    left_s = json.loads(request.read_text())["days"] * 86400 // 3
    checks = (["verify", "-CAfile", AUTHORITY, issued], ["x509", "-in", issued, "-noout", "-checkend", left_s])
    return all(openssl(*check, check=False).returncode == 0 for check in checks)


def sign(request: Path, issued: Path) -> None:
    """Sign what a request asks for."""
    asked = json.loads(request.read_text())
    extensions, key, new = (request.with_suffix(ending) for ending in (".extensions", ".key", ".new"))
    extensions.write_text(
        "basicConstraints = critical, CA:FALSE\n"
        "keyUsage = critical, digitalSignature\n"
        f"extendedKeyUsage = {asked.get('use', 'serverAuth, clientAuth')}\n"
        f"subjectAltName = {', '.join(map(alternative, asked['names']))}\n"
    )
    key.write_text(asked["key"])
    openssl(
        *("x509", "-new", "-force_pubkey", key, "-subj", f"/CN={request.stem}", "-days", asked["days"]),
        *("-CA", AUTHORITY, "-CAkey", KEY, "-extfile", extensions, "-out", new),
    )
    new.chmod(0o644)
    new.rename(issued)
    extensions.unlink()
    key.unlink()


def alternative(name: str) -> str:
    """Return a name as a certificate has it."""
    try:
        return f"IP:{ipaddress.ip_address(name)}"
    except ValueError:
        return f"DNS:{name}"


def openssl(*arguments: object, check: bool = True) -> "subprocess.CompletedProcess[str]":
    """Run openssl."""
    return subprocess.run(["openssl", *map(str, arguments)], capture_output=True, text=True, check=check)


if __name__ == "__main__":
    sys.exit(main())
