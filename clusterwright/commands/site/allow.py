"""Allow what a site's folder would run or send, for this account.

A folder may name programs that print passwords, variables of the environment and where they are sent, and in its inventory which
interpreter, connection or account a run uses. Nothing of it is done before the account that would do it has allowed it here. What
was changed asks again; hosts and addresses change freely.

Example:
    clusterwright allow
    clusterwright allow --site /srv/my-site --yes

"""

import typer

from clusterwright.commands.options import SiteOption, YesOption
from clusterwright.output import clean, say
from clusterwright.where import find_site
from flows.runs.allowing.asked import all_asked
from flows.runs.allowing.kept import allowed_in, keep_allowed
from flows.runs.inventory.sources import site_in
from schedule.errors import WaitingError


def allow(
    site: SiteOption = None,
    yes: YesOption = False,
) -> None:
    folder = find_site(site)
    asked, known = all_asked(folder, site_in(folder)), allowed_in(folder)
    new = [one for one in asked if one.digest not in known]
    for one in new:
        print(clean(f"it {one.what}"))
    if not new:
        say(f"{folder}: nothing waits to be allowed")
    elif not yes and not typer.confirm(f"Allow {folder} that?"):
        raise WaitingError("nothing was allowed")
    keep_allowed(folder, [one.digest for one in asked])
    if new:
        say(f"{folder}: allowed for this account")
