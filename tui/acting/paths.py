"""Suggests a file while its path is typed, as a shell completes it."""

from __future__ import annotations

from pathlib import Path

from textual.suggester import Suggester

from tui.acting.command import path_of


class PathSuggester(Suggester):
    """The first file or folder whose path begins as what is typed. A path without a root begins at the site's folder."""

    def __init__(self, folder: Path) -> None:
        """Take the site's folder, in which commands run."""
        super().__init__(use_cache=False, case_sensitive=True)
        self.folder = folder

    async def get_suggestion(self, value: str) -> str | None:
        """Return the whole path. None where nothing begins so, or the folder cannot be read."""
        typed = path_of(value)
        parent, begun = (typed, "") if value.endswith("/") else (typed.parent, typed.name)
        try:
            found = sorted(path for path in (self.folder / parent).iterdir() if path.name.startswith(begun))
            first = next((path for path in found if begun or not path.name.startswith(".")), None)
            end = "/" if first is not None and first.is_dir() else ""
        except OSError:
            return None
        return None if first is None else f"{value}{first.name[len(begun) :]}{end}"
