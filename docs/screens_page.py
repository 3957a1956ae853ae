"""The page of the screens: what each key does, from the tables that the screens themselves are made of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from tui.acting.actions import ACTIONS
from tui.acting.form import Form
from tui.app import ClusterwrightApp
from tui.lists.grid import Grid
from tui.screens.base import SiteScreen
from tui.screens.listing import ListScreen

ABOUT_WHAT = {
    "activity": "about an activity",
    "order": "about an order",
    "delivery": "about a delivery",
    "ncr": "about a non-conformance",
    "change": "about a change order",
    "site": "on every screen",
}
SCREENS_HEAD = """# Screens

`clusterwright tui` opens the screens of a site; `--read-only` is for visitors and for a screen on a wall. Everything that can
be decided there is a command of the command line: its form is made of the same options, the rules are the same, and the form
shows the line that it is, which Ctrl+Y copies. The command runs in a process of its own, so that no screen waits for it; Esc
stops it. What would be refused is said before anything is typed. Nothing acts at one key: a form comes first.

`?` lists what can be done here and now, with the reason where something would be refused. `:` runs any other command. The
command palette (Ctrl+P) has all of it too. Times are those of the site.

## What they look like

A site of 10,000 GPUs in mid-build, whose racks are being set. The [morning](../pictures/morning.svg) is the first screen, and Enter on
what it names opens [its page](../pictures/activity.svg). A [day in the screens](../evidence/screens-day.md) is written down key by key.

| the inbox, what unblocks most on top | the steps |
|---|---|
| ![Inbox](../pictures/inbox.svg) | ![Steps](../pictures/steps.svg) |
| **orders and deliveries** | **the Gantt, of what is later than planned by more than ten days** |
| ![Orders](../pictures/orders.svg) | ![Gantt](../pictures/gantt.svg) |
| **the floor, a rack a cell** | **how likely which date is, and what moves it** |
| ![Floor](../pictures/floor.svg) | ![Risk](../pictures/risk.svg) |

On the risk screen `t` works out the [tornado](../how-to/pictures.md#tornado), `w` asks what if, `c` compares plans.

## Filters

`/` filters a list as you type. All words have to be true of a row; a minus in front turns a word around.

| you type | what is shown |
|---|---|
| `late` | what is past its planned finish, as `list --late past-planned-finish` counts it |
| `later` | what is forecast later than planned, as `list --late forecast-later` |
| `mine` | what is assigned to you, or to nobody and done by a role of yours |
| `open`, `critical`, `hold-point`, `stale`, `waived`, `attested`, `simulated` | what is so |
| `role:electrical state:ready unit:pod-003` | where a column holds the text; values with commas between them are any of them |
| `week:2027-W05` | what is planned in that week, as `list --week` |
| `later:>10 float:<2` | where a number is above or below another |
| `cold plates`, `"cold plates"` | where any column has each word, or the words together; where nothing has it, its letters in this order |
| `-role:buyer` | everything else |

Tab takes the word that is suggested, Up brings back what was typed before. `.` sorts by a column, `,` groups by one, `C` hides
columns, `V` keeps a view of the list or brings one back. Space marks a row or a whole group, `*` marks all that the filter
shows, and an action is then about all marked rows, with one review; those that are refused stay marked in the form.

## Your own keys

`~/.config/clusterwright/keys.yaml` (or under `XDG_CONFIG_HOME`) has a line for each, by the ids below: `activity.sign: f2`.

## Narrow terminals, and those without colours

80x24 shows the columns that say most; Left and Right show the others. Every colour stands beside a sign or a word. `NO_COLOR`
switches colours off, and where a terminal has no Unicode (`TERM=linux`, or another locale) signs become ASCII.
"""


def screens() -> Iterator[str]:
    """Every key of the screens, from the tables that the screens themselves are made of."""
    yield SCREENS_HEAD
    yield "## Keys everywhere\n"
    yield from _keys([*ClusterwrightApp.BINDINGS, *(b for b in SiteScreen.BINDINGS if not _is_action(b))])
    yield "\n## Keys of lists\n"
    yield from _keys([*ListScreen.BINDINGS, *Grid.BINDINGS])
    yield "\n## Keys of forms\n"
    yield from _keys(Form.BINDINGS)
    for about, what in ABOUT_WHAT.items():
        yield f"\n## What can be done {what}\n"
        yield "| key | what | the command that it is | id |"
        yield "|---|---|---|---|"
        for action in (action for action in ACTIONS if action.about == about):
            key = f"`{action.key}`" if action.key else ""
            yield f"| {key} | {action.label} | `clusterwright {action.command}` | `{action.id}` |"


def _is_action(binding: Any) -> bool:
    return str(binding.action).startswith("act(")


def _keys(bindings: Iterable[Any]) -> Iterator[str]:
    yield "| key | what | id |"
    yield "|---|---|---|"
    for binding in bindings:
        keys = " ".join(
            f"`{key}`" for key in ([binding.key_display] if binding.key_display else binding.key.split(","))
        )
        yield f"| {keys} | {binding.description} | `{binding.id}` |"
