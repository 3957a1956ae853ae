"""Suggests a file while its path is typed, as a shell completes it."""

from __future__ import annotations

from pathlib import Path

from textual.suggester import Suggester


class PathSuggester(Suggester):
    """The first file or folder whose path begins as what is typed. A path without a root begins at the site's folder."""

    def __init__(self, folder: Path) -> None:
        """Take the site's folder, in which commands run."""
        super().__init__(use_cache=False, case_sensitive=True)
        self.folder = folder

    async def get_suggestion(self, value: str) -> str | None:
        """Return the whole path. None where nothing begins so, or the folder cannot be read."""
        typed = Path(value).expanduser()
        parent, begun = (typed, "") if value.endswith("/") else (typed.parent, typed.name)
        try:
            found = sorted(path for path in (self.folder / parent).iterdir() if path.name.startswith(begun))
        except OSError:
            return None
        first = next((path for path in found if begun or not path.name.startswith(".")), None)
        if first is None:
            return None
        rest = first.name[len(begun) :]
        return f"{value}{rest}/" if first.is_dir() else f"{value}{rest}"
