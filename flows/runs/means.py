"""By what means a site's runs go: its settings, and what they may know. An engine reads them once, when it starts."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

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

    def limits(self, activity: PlanActivity, hosts: Collection[str], playbook: Path, inventory: Path) -> Limits:
        """Return the bounds of a run of an activity. Raise for a group of the settings that the inventory does not have."""
        return limits_of(self.settings, extent_of(self.settings, activity, hosts, playbook, inventory))


DEFAULTS = Means()
"""Those of a site that states none."""


def means_of(folder: Path, inventory: Path, ask: Ask) -> Means:
    """Return the means of a site's runs. Raise, with its place, for what would stop runs: no run has to find out."""
    settings = site_in(folder).runs
    group_hosts(settings, inventory)
    access = read_access(folder, settings, ask)
    require_open(inventory, access, tuple(one.id for one in settings.vault))
    return Means(settings, access)
