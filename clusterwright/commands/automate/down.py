"""Stop the engine of this site, wherever it was started on this machine.

It stops as after Ctrl-C: what runs is ended or settled, and the dashboard catches up. A second call meanwhile ends it at once. The
exit code is 1 where no engine runs.

Example:
    clusterwright down

"""

from clusterwright.commands.options import SiteOption
from clusterwright.engine_process import stop_engine
from clusterwright.where import find_site


def down(site: SiteOption = None) -> None:
    print(stop_engine(find_site(site)))
