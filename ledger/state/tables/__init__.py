"""The ledger's tables: one append-only event table, what is drawn from it, and the claims of the moment.

Projections are rebuilt by replay, exactly. `claim` is not, since it holds machine time and processes. Attempts count from 1.
Ids of runs, non-conformances, waivers, releases and requests come from the event that made them.
"""
