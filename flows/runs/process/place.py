"""Where a run happens: a folder for its user only, with the copy of what Ansible reads, and a control group for its processes.

The folder holds variables and secrets in clear text. Both are made for one run and are gone after it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

from flows.runs.bundle.copy import Tree, remove, snapshot
from flows.runs.process.control_groups import own_group
from schedule.errors import UnreachableError


def playbooks_folder() -> Path:
    """Return the folder of the playbooks that come along."""
    return Path(str(files("playbooks")))


def runs_folder(site_dir: Path) -> Path:
    """Return the folder in which the runs of a site have theirs."""
    return site_dir.resolve() / ".clusterwright" / "runs"


class RunPlace(NamedTuple):
    """A run's folder, the copy in it, and the group of its processes where the kernel lets us have one."""

    folder: Path
    tree: Tree
    group: Path | None


@contextmanager
def run_place(playbook: Path, inventory: Path, folder: Path) -> Iterator[RunPlace]:
    """Make the place of a run. At the end every process of the run is ended, and the folder is removed.

    Raise where playbook or inventory do not exist or cannot be released, or the disk is full. `folder` must not exist.
    """
    with _written(folder):
        folder.mkdir(parents=True, mode=0o700)
    try:
        with own_group(folder) as group:
            with _written(folder):
                tree = snapshot(playbook, inventory, folder)
            yield RunPlace(folder, tree, group)
    finally:
        remove(folder)


@contextmanager
def _written(folder: Path) -> Iterator[None]:
    """Say of a folder that cannot be written that it is the run's."""
    try:
        yield
    except OSError as error:
        raise UnreachableError(
            f"what Ansible reads cannot be copied into {folder.parent}: {error.strerror}",
            hint="check free space and permissions there",
        ) from None
