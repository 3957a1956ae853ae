"""Print what each device should hear, as an inventory states it: `expected_neighbours`, from the cable schedule.

Step 062 reads the neighbours of hosts that have it. Names on site go into a table of drawn, device and ports (docs/how-to/found-links.md).

Example:
    clusterwright fabric ends --names names.csv > inventory/ends.json

"""

from clusterwright.commands.options import SiteOption
from clusterwright.found_links import NamesOption, ScheduleOption, UnitOption, cables_of
from clusterwright.output import print_json


def ends(
    schedule: ScheduleOption = None,
    unit: UnitOption = "site",
    names: NamesOption = None,
    site: SiteOption = None,
) -> None:
    devices: dict[str, dict[str, dict[str, str]]] = {}
    for cable in cables_of(schedule, unit, names, site):
        for end, far in ((cable.a, cable.b), (cable.b, cable.a)):
            devices.setdefault(end.device, {})[end.port] = {"host": far.device, "port": far.port}
    print_json({"all": {"hosts": {name: {"expected_neighbours": heard} for name, heard in devices.items()}}})
