"""What an engine and its runs have left behind on this machine: processes, control groups, folders, files with secrets."""

from __future__ import annotations

import os
from collections.abc import Collection
from pathlib import Path

import psutil

from flows.runs.process.control_groups import PREFIX


def leavings(scratch: Path, site: Path, names: Collection[str], secret: str) -> list[str]:
    """Return what is left of a site's runs when no engine runs any more. `scratch` has the site, and its engine's home.

    `names` are those of the folders of all its runs.
    """
    runs = site / ".clusterwright" / "runs"
    found = [f"process {process.pid} is left: {' '.join(process.cmdline())}" for process in processes_of(scratch)]
    found += [f"the folder of run {path.name} is left" for path in (runs.iterdir() if runs.exists() else ())]
    found += [f"control group {path} is left" for path in groups_of(names)]
    found += [f"{path} is left" for path in (scratch / "home" / ".ansible" / "tmp").rglob("ansible-tmp-*")]
    found += [f"{path} is left" for path in (scratch / "tmp").iterdir()]
    return found + [f"{path} has the secret" for path in _files(scratch) if _has(path, secret)]


def processes_of(folder: Path) -> list[psutil.Process]:
    """Return the living processes that work in a folder, or name it."""
    found = []
    for process in psutil.process_iter():
        try:
            said = [*process.cmdline(), process.cwd(), *process.environ().values()]
            is_alive = process.pid != os.getpid() and process.status() != psutil.STATUS_ZOMBIE
        except psutil.Error:
            continue
        if is_alive and any(str(folder) in word for word in said):
            found.append(process)
    return found


def groups_of(runs: Collection[str]) -> list[Path]:
    """Return the control groups of these runs, which are named as their folders."""
    groups = [Path(here) / name for here, inside, _ in os.walk("/sys/fs/cgroup") for name in inside]
    return [group for group in groups if group.name.removeprefix(PREFIX).rpartition("-")[0] in runs]


def _files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file() and path.parent.name != "inventory"]


def _has(path: Path, secret: str) -> bool:
    return secret.encode() in path.read_bytes()
