"""Where racks stand: halls side by side, rows of racks, spine and core racks in the middle of the first hall."""

from __future__ import annotations

from math import ceil
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Metres = NDArray[np.float64]
Index = NDArray[np.int64]


class Floor(NamedTuple):
    """A hall's grid; lengths in metres."""

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
    def middle_row(self) -> int:
        """Row of the first hall before which the network racks stand."""
        return ceil(min(self.compute_racks, self.racks_per_hall) / self.racks_per_row) // 2

    def compute(self, rack: Index) -> tuple[Index, Index, Index]:
        """Return hall, row and place in the row (from 0) of compute racks by number (from 0)."""
        hall, inside = rack // self.racks_per_hall, rack % self.racks_per_hall
        row = inside // self.racks_per_row
        row = row + np.where((hall == 0) & (row >= self.middle_row), self.network_rows, 0)
        return hall, row, inside % self.racks_per_row

    def network(self, rack: Index) -> tuple[Index, Index, Index]:
        """Return hall, row and place of network racks by number."""
        return np.zeros_like(rack), self.middle_row + rack // self.racks_per_row, rack % self.racks_per_row

    def metres(self, a: tuple[Index, Index, Index], b: tuple[Index, Index, Index]) -> Metres:
        """Return the way along rows and aisles from one rack to another."""
        width = self.racks_per_row * self.rack_pitch_m + self.hall_gap_m
        along = np.abs(a[0] - b[0]) * width + np.abs(a[2] - b[2]) * self.rack_pitch_m
        across = np.abs(a[1] - b[1]) * self.row_pitch_m
        return np.asarray(along + across, dtype=np.float64)
