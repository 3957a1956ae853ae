"""Show what an automated step would change on its hosts.

Its playbook runs in check mode, and nothing is changed. What it showed is kept for those who release it.

Example:
    clusterwright preview 143@site

"""

from clusterwright.commands.asking import Asking
from clusterwright.commands.options import ActivityId
from clusterwright.output import clean, print_json, say
from clusterwright.previewing import preview as look
from ledger.private import private_files


def preview(ask: Asking, activity: ActivityId) -> None:
    with private_files():
        seen = look(ask.folder, activity)
    text = seen.text.decode("utf-8", "replace")
    if ask.as_json:
        print_json({"activity": activity, "summary": seen.summary, "differences": text})
        return
    print(clean(text))
    say(f"{activity}: {seen.summary}; nothing was changed")
