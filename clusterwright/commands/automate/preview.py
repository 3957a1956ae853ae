"""Show what an automated step would change on its hosts.

Its playbook runs in check mode, and nothing is changed. What it showed is kept for those who release it.

Example:
    clusterwright preview 143@site

"""

from __future__ import annotations

from clusterwright.commands.options import ActivityId, JsonOption, SiteOption
from clusterwright.output import clean, print_json, say
from clusterwright.previewing import preview as look
from clusterwright.where import find_site


def preview(activity: ActivityId, site: SiteOption = None, as_json: JsonOption = False) -> None:
    seen = look(find_site(site), activity)
    text = seen.text.decode("utf-8", "replace")
    if as_json:
        print_json({"activity": activity, "summary": seen.summary, "differences": text})
        return
    print(clean(text))
    say(f"{activity}: {seen.summary}; nothing was changed")
