"""Compares a host with the site's own baseline, which the playbook hands over with the outputs."""

from __future__ import annotations

import shlex
from typing import Any

from steps.acceptance import gpus
from steps.acceptance.handed import Found, Handed, NotMeasuredError


def stated(handed: Handed, name: str) -> Any:
    """Return a value of the baseline; raise NotMeasuredError, which says where to set it, if it is not set."""
    value = handed.document("baseline").get(name)
    if value is None or (isinstance(value, str) and not value.strip()):
        raise NotMeasuredError(f"state {name} in the inventory")
    return value


def driver_matches(handed: Handed) -> Found:
    """Return whether the loaded GPU driver is exactly the pinned one."""
    wanted = str(stated(handed, "gpu_driver_version")).strip()
    found = gpus.driver_version(handed)
    return Found(found == wanted, f"{found}, pinned {wanted}")


def release_matches(handed: Handed) -> Found:
    """Return whether /etc/os-release is the baseline's: `Debian 12`, `Ubuntu 22.04.4`, or the pretty name.

    A baseline with fewer version parts includes every release below it: 9.4 meets `Rocky 9`.
    """
    wanted = str(stated(handed, "operating_system_baseline")).strip()
    name, _, version = wanted.casefold().rpartition(" ")
    said = _release(handed)
    pretty = said["PRETTY_NAME"].casefold()
    if wanted.casefold() == pretty:
        return Found(value=True, note=said["PRETTY_NAME"])
    if not name or not version[:1].isdigit():
        raise NotMeasuredError(f"operating_system_baseline {wanted!r} is no name and version; write `Debian 12`")
    full_name = said["NAME"].casefold()
    names = {said["ID"].casefold(), full_name, full_name.split()[0]}
    first_word = said.get("VERSION", "").split()[:1]
    versions = {said["VERSION_ID"], *first_word}
    matches = name in names and any(f"{v}.".startswith(f"{version}.") for v in versions)
    return Found(matches, said["PRETTY_NAME"])


def _release(handed: Handed) -> dict[str, str]:
    """Return the file's values by key; they are quoted as in the shell, which is what its specification says."""
    lines = [line for line in handed.text("os_release").splitlines() if line.strip()]
    said = (line.split("=", 1) for line in lines if not line.startswith("#"))
    return {key: "".join(shlex.split(value)) for key, value in said}
