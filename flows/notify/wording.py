"""The text of a message: plain lines in which nothing that people or hosts wrote can become markup, a link or a mention."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from shlex import quote
from typing import NamedTuple

from ledger.questions.notices import Notice
from ledger.questions.reminders import ReminderRow
from schedule.text import shown_in_line
from steps.stamps import minute

MOST = 20
"""How many items a message has. The others are counted."""
NAMED = 3
"""How many people an item names."""
LONGEST = 300
"""How many characters an item repeats of a text by people or hosts."""

_MARKUP = re.compile(r"[<>]|\](?=\()|(?<!\w)@(?=\w)")
_INERT = {"<": "‹", ">": "›", "]": "] ", "@": "@ "}


class Item(NamedTuple):
    """One thing that a message is about. `words` say of which kind it is, and `people` are those who are to act next."""

    words: str
    people: tuple[str, ...]
    about: Notice | ReminderRow


class Wording(NamedTuple):
    """What the texts of a site need: its name, time zone and folder, and the name of each person."""

    site: str
    zone: str
    folder: Path
    names: Mapping[str, str]

    def title(self, said: str) -> str:
        """Return the title of a message."""
        return f"{inert(self.site)}: {inert(said)}"

    def body(self, items: Sequence[Item]) -> str:
        """Return the text of a message: its first items, and how many more there are."""
        parts = [self._item(one) for one in items[:MOST]]
        if len(items) > MOST:
            parts.append(f"and {len(items) - MOST} more:\n  {self._command('clusterwright reminders')}")
        return "\n\n".join(parts)

    def _item(self, item: Item) -> str:
        one = item.about
        about = one.what if one.what.startswith(one.subject) else f"{one.subject}, {one.what}"
        lines = [f"{item.words}: {inert(about)}"]
        when = [
            f"since {minute(one.since, self.zone)}" if one.since else "",
            f"due {one.due}" if one.due else "",
            f"next: {self._people(item.people)}" if item.people else "",
        ]
        said = "; ".join(filter(None, when))
        if said:
            lines.append(f"  {said}")
        lines.append(f"  {self._command(one.command)}")
        return "\n".join(lines)

    def _people(self, people: Sequence[str]) -> str:
        """Return who is to act next, by name and id."""
        named = [inert(f"{self.names.get(one) or one} ({one})") for one in people[:NAMED]]
        more = f" and {len(people) - NAMED} more" if len(people) > NAMED else ""
        return " or ".join(named) + more

    def _command(self, command: str) -> str:
        """Return a command as it can be typed in any folder."""
        return shown_in_line(f"{command} --site {quote(str(self.folder))}")


def inert(text: str) -> str:
    """Return text in one line that no chat or mail program takes for markup, a link with another name, or a mention.

    Example: `@all` becomes `@ all`, and `<b>` becomes `‹b›`. Ids such as `054@pod-003` stay as they are.
    """
    line = shown_in_line(text)
    short = line if len(line) <= LONGEST else f"{line[:LONGEST]}…"
    return _MARKUP.sub(lambda found: _INERT[found[0]], short)
