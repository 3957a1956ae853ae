"""The places of racks: halls side by side, rows of racks, network racks in the middle of the first hall, others without compute at its end."""

from __future__ import annotations

from math import ceil
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Metres = NDArray[np.float64]
Index = NDArray[np.int64]
Place = tuple[Index, Index, Index]
"""Hall, row, and place in the row, each from 0."""


class Floor(NamedTuple):
    """The grid of a hall; lengths are in metres."""

    compute_racks: int
    network_racks: int
    racks_per_hall: int
    racks_per_row: int
    rack_pitch_m: float
    row_pitch_m: float
    hall_gap_m: float

    @property
    def network_rows(self) -> int:
        """Rows that the network racks take."""
        return ceil(self.network_racks / self.racks_per_row)

    @property
    def compute_rows(self) -> int:
        """Rows of compute racks in the first hall."""
        return ceil(min(self.compute_racks, self.racks_per_hall) / self.racks_per_row)

    @property
    def middle_row(self) -> int:
        """Row of the first hall in front of which the network racks are."""
        return self.compute_rows // 2

    def compute(self, rack: Index) -> Place:
        """Return the places of compute racks by their numbers (from 0)."""
        hall, inside = rack // self.racks_per_hall, rack % self.racks_per_hall
        row = inside // self.racks_per_row
        is_behind = (hall == 0) & (row >= self.middle_row)
        row = row + np.where(is_behind, self.network_rows, 0)
        return hall, row, inside % self.racks_per_row

    def infrastructure(self, rack: Index) -> Place:
        """Return the places of racks without compute by their numbers (from 0), the network racks first.

        What the rows of network racks have no room for is in rows behind the first hall's last one.
        """
        row = rack // self.racks_per_row
        row = row + np.where(row < self.network_rows, self.middle_row, self.compute_rows)
        return np.zeros_like(rack), row, rack % self.racks_per_row

    def metres(self, a: Place, b: Place) -> Metres:
        """Return the length of the way along rows and aisles from one rack to another, in metres."""
        width = self.racks_per_row * self.rack_pitch_m + self.hall_gap_m
        halls, rows, racks = np.abs(np.asarray(a) - np.asarray(b))
        along = halls * width + racks * self.rack_pitch_m
        across = rows * self.row_pitch_m
        return np.asarray(along + across, dtype=np.float64)
