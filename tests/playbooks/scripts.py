"""Scripts that run on hosts, as modules: what of them is pure is tried here."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType

from tests.lab.playing import FOLDER


def script(role: str, name: str) -> ModuleType:
    """Return a script of a role's files as a module, with the scripts beside it that it imports."""
    folder: Path = FOLDER / "roles" / role / "files"
    if str(folder) not in sys.path:
        sys.path.append(str(folder))
    return importlib.import_module(name)
