"""Checks of the machine and the site's folder, each with its remedy. Only --fix changes anything."""

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from shlex import join

from clusterwright.health_check import ADVICE, FAULT, OK, Check
from clusterwright.planning import plan_of, read_all
from clusterwright.record_health import record_checks
from clusterwright.where import find_site
from flows.dashboard.login import login_file, login_of, renew_login
from flows.runs.allowing.asked import all_asked, require_allowed
from flows.runs.limits.extents import group_hosts
from flows.runs.process.control_groups import why_none
from flows.runs.secrets.access import read_access
from flows.runs.secrets.vaults import require_open, vaulted_in
from ledger.private import KEPT, is_open_to_others
from ledger.questions.activities import activities
from ledger.questions.people import people
from ledger.reading import open_snapshot
from ledger.stores.file import NOT_WRITTEN
from ledger.stores.following import has_ledger
from schedule.errors import ClusterwrightError
from steps.design.people import account_warnings
from steps.design.site import Site
from steps.planning.checks.approvers import (
    REMEDY,
    SECOND_SIGNER,
    HasAccount,
    by_one_account,
    in_short,
    one_account_in_short,
    unsignable,
)

PACKAGES = ("prefect", "fastapi", "sqlmodel", "ansible-runner", "ansible-core", "textual")
NOT_SUPPORTED = "2.19."
"""The last ansible-core that runs with Python 3.11. Its end is that of the release matrix in Ansible's documentation."""

LATER_ONE = "set this up with Python 3.12 or newer: ansible-core 2.21 comes with it (PYTHON=python3.12 make setup)"
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
LOGIN = "dashboard login"
SIGN_OFFS = "sign-offs"
DELEGATED = "systemd-run --user --scope -p Delegate=yes clusterwright up"


def checks(site: Path | None) -> list[Check]:
    """Return every check. Those of the site's folder are made only where there is one."""
    return [*_machine(), *_tools(), *_site(site)]


def _package(name: str, installed: str) -> Check:
    """Return the check of an installed package. An ansible-core whose security support has ended is advised against."""
    if name == "ansible-core" and installed.startswith(NOT_SUPPORTED):
        ended = f"{installed}; the security support of {NOT_SUPPORTED}x ended in November 2026"
        return Check(name, ADVICE, ended, LATER_ONE)
    return Check(name, OK, installed)


def _machine() -> Iterator[Check]:
    now = ".".join(map(str, sys.version_info[:3]))
    yield Check("python", OK if sys.version_info >= (3, 11) else FAULT, now, "install Python 3.11 or newer")
    for package in PACKAGES:
        try:
            yield _package(package, version(package))
        except PackageNotFoundError:
            yield Check(package, FAULT, "missing", "make setup")
    with socket.socket() as probe:
        is_taken = probe.connect_ex(("127.0.0.1", DASHBOARD_PORT)) == 0
    port = f"port {DASHBOARD_PORT}"
    yield Check(port, ADVICE, "taken", "`up --port` takes another") if is_taken else Check(port, OK, "free")
    lacking = why_none()
    if lacking:
        remedy = f"{lacking}: a process that hides may outlive a killed engine; `{DELEGATED}` ends it too"
        yield Check("runs", ADVICE, "found by folder, group and session", remedy)
    else:
        yield Check("runs", OK, "a control group each")


def _tools() -> Iterator[Check]:
    everywhere = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
    for tool, package in TOOLS.items():
        path = shutil.which(tool, path=everywhere)
        if path is not None:
            yield Check(tool, OK, path)
            continue
        remedy = f"install {package}; until then what it measures is `not measured`"
        yield Check(tool, FAULT if tool in NEEDED else ADVICE, "missing", remedy)


def _site(site: Path | None) -> Iterator[Check]:
    try:
        folder = find_site(site)
    except ClusterwrightError:
        return
    yield _disk(folder)
    yield _privacy(folder)
    yield from _login(folder)
    try:
        site_file, _, _ = read_all(folder)
    except ClusterwrightError as error:
        yield Check("site.yaml", FAULT, error.what, str(error.place or error.hint))
        return
    yield Check("site.yaml", OK, str(folder / "site.yaml"))
    yield _accounts(site_file)
    yield _sign_offs(folder)
    yield from _runs(folder, site_file)
    yield from record_checks(folder, site_file)


def _disk(folder: Path) -> Check:
    """Return whether a folder can be written, and has room."""
    free = shutil.disk_usage(folder).free
    said = f"{free / 1024**3:.1f} GiB free"
    if not os.access(folder, os.W_OK):
        return Check("disk", FAULT, f"{said}; this account cannot write {folder}", NOT_WRITTEN)
    if free < FREE_BYTES:
        return Check("disk", FAULT, said, "the ledger and its evidence need at least 2 GiB")
    return Check("disk", OK, said)


def _login(folder: Path) -> Iterator[Check]:
    """Check the login of the dashboard, where there is one."""
    path = login_file(folder)
    if not path.exists():
        return
    try:
        login_of(folder)
        yield Check(LOGIN, OK, str(path))
    except ClusterwrightError as error:
        yield Check(LOGIN, FAULT, f"{path}: {error.what}", "clusterwright dashboard --new-login (--fix does it)")


def _privacy(folder: Path) -> Check:
    """Return whether other accounts have permissions on the record. Those that were ours to take are taken already."""
    found = [name for name in KEPT if is_open_to_others(folder / name)]
    if not found:
        return Check("private record", OK, "only its account can read it")
    who = "another account owns them, and others may read them"
    close = join(["chmod", "-R", "go=", *(str(folder / name) for name in found)])
    return Check("private record", ADVICE, f"{', '.join(found)}: {who}", f"as their owner: {close}")


def _runs(folder: Path, site: Site) -> Iterator[Check]:
    """Check the groups that `runs` names, and whether its passwords open the vaults. What a person types is not asked for."""
    inventory = None if site.inventory is None else folder / site.inventory
    if inventory is None or not inventory.exists():
        return
    try:
        group_hosts(site.runs, inventory)
        require_allowed(folder, all_asked(folder, site))
        access = read_access(folder, site.runs)
        if any(one.prompt for one in site.runs.vault):
            yield Check("vaults", OK, "`up` asks for a password, and tries it")
            return
        require_open(inventory, access, tuple(one.id for one in site.runs.vault))
        count = len(vaulted_in(inventory))
        yield Check("vaults", OK, f"{count} tried, and opened" if count else "nothing is vaulted")
    except ClusterwrightError as error:
        found = f"{error.place}: {error.what}" if error.place else error.what
        yield Check("runs of playbooks", FAULT, found, error.hint)


def _accounts(site: Site) -> Check:
    shared = account_warnings(site.people)
    if not shared:
        return Check("accounts", OK, "each is stated for one person")
    return Check("accounts", ADVICE, "; ".join(shared), "state each person's own account, or let them sign with keys")


def _sign_offs(folder: Path) -> Check:
    """Return whether somebody can give each sign-off: by the people on record, or else by those whom site.yaml proposes."""
    able: Sequence[HasAccount]
    try:
        if has_ledger(folder):
            with open_snapshot(folder) as snapshot:
                asked, able = [row.plan for row in activities(snapshot)], people(snapshot)
        else:
            plan = plan_of(folder)
            asked, able = [*plan.activities], plan.people
    except ClusterwrightError as error:
        return Check(SIGN_OFFS, ADVICE, f"not looked at: {error.what}", error.hint)
    if found := unsignable(asked, able):
        return Check(SIGN_OFFS, ADVICE, "; ".join(in_short(found)), REMEDY)
    if alone := by_one_account(asked, able):
        return Check(SIGN_OFFS, ADVICE, one_account_in_short(alone), SECOND_SIGNER)
    return Check(SIGN_OFFS, OK, "somebody can give each")


def fixed(check: Check, site: Path | None) -> str:
    """Fix one check where that is safe, and return what was done. Empty where it is for a person."""
    if check.name == LOGIN:
        renew_login(find_site(site))
        return "a new one was made; an engine that runs takes the old one until it is started again"
    can_install = os.geteuid() == 0 and shutil.which("apt-get") is not None
    if check.name not in TOOLS or check.name == "nvidia-smi" or not can_install:
        return ""
    package = TOOLS[check.name]
    install = ["apt-get", "install", "-y", "-q", package]
    result = subprocess.run(install, capture_output=True, text=True, check=False)
    return f"installed {package}" if result.returncode == 0 else f"apt-get could not install {package}"
