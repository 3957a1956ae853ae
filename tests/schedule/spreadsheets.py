"""LibreOffice without a screen, as a reader of spreadsheets."""

from __future__ import annotations

import subprocess
from pathlib import Path
from shutil import which

PROGRAM = which("soffice") or which("libreoffice")
NO_SPREADSHEET = "" if PROGRAM else "not installed: libreoffice (Debian: libreoffice-calc-nogui)"


def converted(path: Path, suffix: str, folder: Path) -> Path:
    """Return what LibreOffice makes of a file in another form. Its profile is in `folder`, so that several may run at once."""
    assert PROGRAM is not None
    profile = f"-env:UserInstallation={(folder / 'profile').resolve().as_uri()}"
    command = [PROGRAM, profile, "--headless", "--convert-to", suffix, "--outdir", str(folder), str(path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=180, check=False)
    made = folder / path.with_suffix(f".{suffix.partition(':')[0]}").name
    assert made.exists(), done.stdout + done.stderr
    return made
