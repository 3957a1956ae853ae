"""The ledger's tables: one append-only event table, the projections that are made from it, the present claims and reservations.

Projections are rebuilt by replay, exactly. `claim` and `reservation` are not, since they hold machine time and processes. Attempts count from 1.
Ids of runs, non-conformances, waivers, releases and requests come from the event that made them. A table has the name of its class in
small letters, unless the class names another.
"""
