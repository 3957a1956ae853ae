"""Resource levelling: start times that keep precedence, releases and what each resource has, as early as can be found.

The package stands alone on arrays of integers. It knows nothing of plans, steps or the record. `problem.py` says what goes
in, `level.py` is the way in, `result.py` says what comes out. Nothing here reads a clock, except `calibration.py`, which
turns seconds into a number of schedules before the search begins.
"""
