"""Checks of the machine and the site's folder, each with its remedy. Only --fix changes anything."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from clusterwright.where import find_site
from steps.errors import ClusterwrightError

OK, ADVICE, FAULT = "ok", "advice", "fault"

PACKAGES = ("prefect", "fastapi", "sqlmodel", "ansible-runner", "ansible-core", "textual")
TOOLS = {
    "git": "git",
    "ssh-keygen": "openssh-client",
    "lspci": "pciutils",
    "ss": "iproute2",
    "stress-ng": "stress-ng",
    "fio": "fio",
    "chronyc": "chrony",
    "ethtool": "ethtool",
    "dmidecode": "dmidecode",
    "nvidia-smi": "the GPU driver",
}
NEEDED = {"ssh-keygen"}
FREE_BYTES = 2 * 1024**3
DASHBOARD_PORT = 4200


@dataclass(frozen=True)
class Check:
    """One thing looked at: how it is, and what to do about it."""

    name: str
    state: str
    found: str
    remedy: str = ""


def checks(site: Path | None) -> list[Check]:
    """Give every check, those of the site's folder only where there is one."""
    return [*_machine(), *_tools(), *_site(site)]


def _machine() -> Iterator[Check]:
    now = ".".join(map(str, sys.version_info[:3]))
    yield Check("python", OK if sys.version_info >= (3, 11) else FAULT, now, "install Python 3.11 or newer")
    for package in PACKAGES:
        try:
            yield Check(package, OK, version(package))
        except PackageNotFoundError:
            yield Check(package, FAULT, "missing", "make setup")
    with socket.socket() as probe:
        taken = probe.connect_ex(("127.0.0.1", DASHBOARD_PORT)) == 0
    yield Check(
        f"port {DASHBOARD_PORT}",
        ADVICE if taken else OK,
        "taken" if taken else "free",
        "give `up` another with --port" if taken else "",
    )


def _tools() -> Iterator[Check]:
    for tool, package in TOOLS.items():
        path = shutil.which(tool, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
        missing = FAULT if tool in NEEDED else ADVICE
        remedy = f"install {package}; until then what it measures is `not measured`"
        yield Check(tool, OK if path else missing, path or "missing", "" if path else remedy)


def _site(site: Path | None) -> Iterator[Check]:
    try:
        folder = find_site(site)
    except ClusterwrightError:
        return
    free = shutil.disk_usage(folder).free
    yield Check(
        "disk",
        OK if free >= FREE_BYTES else FAULT,
        f"{free / 1024**3:.1f} GiB free",
        "" if free >= FREE_BYTES else "the ledger and its evidence need at least 2 GiB",
    )
    state = folder / ".clusterwright"
    private = not state.exists() or state.stat().st_mode & 0o077 == 0
    yield Check("private folder", OK if private else ADVICE, str(state), "" if private else "chmod 700 (--fix does it)")
    from clusterwright.planning import read_all

    try:
        read_all(folder)
        yield Check("site.yaml", OK, str(folder / "site.yaml"))
    except ClusterwrightError as error:
        yield Check("site.yaml", FAULT, error.what, str(error.place or error.hint))


def mend(check: Check, site: Path | None) -> str:
    """Mend one check where that is safe; say what was done, nothing where it is for a person."""
    if check.name == "private folder":
        (find_site(site) / ".clusterwright").chmod(0o700)
        return "made private"
    if check.name in TOOLS and os.geteuid() == 0 and shutil.which("apt-get") and check.name != "nvidia-smi":
        package = TOOLS[check.name]
        result = subprocess.run(
            ["apt-get", "install", "-y", "-q", package], capture_output=True, text=True, check=False
        )
        return f"installed {package}" if result.returncode == 0 else f"apt-get could not install {package}"
    return ""
