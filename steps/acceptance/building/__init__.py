"""Metrics of power and cooling, from points of the building's systems that the role `building_read` read over a time."""
