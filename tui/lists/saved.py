"""Views of a list that a person keeps: a filter, an order, groups and columns, by a name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from tui.lists.view import View

FILE = Path(".clusterwright") / "views.json"


class SavedView(msgspec.Struct):
    """How a list was looked at."""

    query: str
    sorted_by: str | None
    descending: bool
    grouped_by: str | None
    hidden: list[str]


Saved = dict[str, dict[str, SavedView]]
"""By list, then by name."""


def saved_views(folder: Path) -> Saved:
    """Return the views that are kept at a site. None of them if the file is not there or is no such file."""
    try:
        return msgspec.json.decode((folder / FILE).read_bytes(), type=Saved)
    except (OSError, msgspec.DecodeError):
        return {}


def save_view(folder: Path, of: str, name: str, view: View[Any]) -> None:
    """Keep how a list is looked at now under a name."""
    kept = saved_views(folder)
    kept.setdefault(of, {})[name] = SavedView(
        view.query,
        view.sorted_by.name if view.sorted_by else None,
        view.descending,
        view.grouped_by.name if view.grouped_by else None,
        sorted(view.hidden),
    )
    path = folder / FILE
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(msgspec.json.format(msgspec.json.encode(kept)))


def restore(view: View[Any], saved: SavedView) -> None:
    """Look at a list as it was looked at."""
    names = {column.name for column in view.columns}
    view.hidden = set(saved.hidden) & names
    view.sorted_by = view.column(saved.sorted_by) if saved.sorted_by in names else None
    view.grouped_by = view.column(saved.grouped_by) if saved.grouped_by in names else None
    view.descending, view.folded = saved.descending, set()
    view.order()
    view.filter(saved.query)
