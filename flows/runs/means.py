"""By what means a site's runs go: its settings, and what they may know. An engine reads them once, when it starts."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from msgspec import to_builtins

from flows.runs.allowing.asked import asked_by_inventory, asked_by_runs, code_in, require_allowed
from flows.runs.inventory.sources import site_in
from flows.runs.limits.extents import extent_of, group_hosts
from flows.runs.limits.limits import limits_of
from flows.runs.run import RunSpec
from flows.runs.secrets.access import NOTHING, Access, ask_terminal, read_access
from flows.runs.secrets.vaults import require_open
from steps.design.run_settings import RunSettings
from steps.planning.activity import PlanActivity
from steps.planning.plan import Plan


class Means(NamedTuple):
    """The settings of a site's runs, and what they may know besides their files."""

    settings: RunSettings = RunSettings()
    access: Access = NOTHING
    allowed_in: Path | None = None
    """The folder whose inventory may be read only as this account has allowed it."""

    def spec(
        self,
        plan: Plan,
        activity: PlanActivity,
        hosts: tuple[str, ...],
        playbooks: Path,
        inventory: Path,
        folder: Path,
        log: Path,
    ) -> RunSpec:
        """Return the terms of a run of an activity. Raise for a group of the settings that the inventory does not have."""
        assert activity.playbook
        playbook = (playbooks / activity.playbook).resolve()
        return RunSpec(
            playbook=playbook,
            inventory=inventory,
            hosts=hosts,
            extra_vars=_variables(plan, activity),
            work_dir=folder,
            log=log,
            limits=limits_of(self.settings, extent_of(self.settings, activity, hosts, playbook, inventory)),
            access=self.access,
            allowed_in=self.allowed_in,
            leads=activity.leads,
        )


DEFAULTS = Means()
"""Those of a site that states none."""


def means_of(folder: Path, inventory: Path) -> Means:
    """Return the means of a site's runs. A password that a person types is asked for on the terminal.

    Raise for what this account has not allowed, and, with its place, for what would stop runs: no run has to find out.
    """
    settings = site_in(folder).runs
    require_allowed(folder, [*asked_by_runs(folder, settings), *asked_by_inventory(code_in(inventory))])
    group_hosts(settings, inventory)
    access = read_access(folder, settings, ask_terminal)
    require_open(inventory, access, tuple(one.id for one in settings.vault))
    return Means(settings, access, folder)


def _variables(plan: Plan, activity: PlanActivity) -> dict[str, Any]:
    """Return what every playbook gets besides the inventory's variables: the design at the activity's unit, and its criteria."""
    own = next(unit.design for unit in plan.units if unit.id == activity.unit)
    return {
        "clusterwright_design": plan.design | own,
        "clusterwright_criteria": [to_builtins(one) for one in activity.criteria],
    }
