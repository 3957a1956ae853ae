"""The ledger's tables: one append-only event table, the projections that are made from it, and the present claims.

Projections are rebuilt by replay, exactly. `claim` is not, since it holds machine time and processes. Attempts count from 1.
Ids of runs, non-conformances, waivers, releases and requests come from the event that made them.
"""
