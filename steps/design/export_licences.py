"""Whether accelerators need an export licence to come to a site: by its country, unless the site says otherwise.

A company needs a licence anywhere if its headquarters, or those of its ultimate parent company, are in group D:5 or in Macau. The
country of a site does not show that, so such a site has `export_licence: needed` among its overrides.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from pathlib import Path

from steps.yaml_lines import load

CHOICE = "export_licence"
ITEM = "export-licence"
"""The order of a licence."""
NEEDED, NONE = "needed", "none"


def licence_of(country: str) -> str:
    """Return the choice of a site in a country, two letters of ISO 3166."""
    return NEEDED if country in _countries() else NONE


@cache
def _countries() -> frozenset[str]:
    groups, _ = load(Path(str(files("steps.design") / "export_licences.yaml")))
    return frozenset(country for group in groups.values() for country in group)
