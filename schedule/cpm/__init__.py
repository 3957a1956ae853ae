"""The critical path of any network of activities, as passes over arrays.

It knows nothing of plans, steps or the ledger. `compiled.compile_network` numbers a network once; the result is solved as
often as durations or progress change. Times are whole minutes since an origin that the caller chooses. docs/reference/schedule.md
has the rules by which dates are computed, and the source of each.
"""
