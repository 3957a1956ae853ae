"""By what means a site's runs go: its settings, and what they may know. An engine reads them once, when it starts."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

from flows.runs.allowing.asked import asked_by_inventory, asked_by_runs, require_allowed
from flows.runs.allowing.inventory_code import code_in
from flows.runs.inventory.sources import site_in
from flows.runs.limits.extents import extent_of, group_hosts
from flows.runs.limits.limits import Limits, limits_of
from flows.runs.secrets.access import NOTHING, Access, Ask, read_access
from flows.runs.secrets.vaults import require_open
from steps.design.run_settings import RunSettings
from steps.planning.activity import PlanActivity


class Means(NamedTuple):
    """The settings of a site's runs, and what they may know besides their files."""

    settings: RunSettings = RunSettings()
    access: Access = NOTHING
    allowed_in: Path | None = None
    """The folder whose inventory may be read only as this account has allowed it."""

    def limits(self, activity: PlanActivity, hosts: Collection[str], playbook: Path, inventory: Path) -> Limits:
        """Return the bounds of a run of an activity. Raise for a group of the settings that the inventory does not have."""
        return limits_of(self.settings, extent_of(self.settings, activity, hosts, playbook, inventory))


DEFAULTS = Means()
"""Those of a site that states none."""


def means_of(folder: Path, inventory: Path, ask: Ask) -> Means:
    """Return the means of a site's runs.

    Raise for what this account has not allowed, and, with its place, for what would stop runs: no run has to find out.
    """
    settings = site_in(folder).runs
    require_allowed(folder, [*asked_by_runs(folder, settings), *asked_by_inventory(code_in(inventory))])
    group_hosts(settings, inventory)
    access = read_access(folder, settings, ask)
    require_open(inventory, access, tuple(one.id for one in settings.vault))
    return Means(settings, access, folder)
