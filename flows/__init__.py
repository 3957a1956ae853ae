"""Making it happen: phase flows, the dispatcher, Ansible runs, rehearsals.

The only room that imports Prefect. The ledger says what is ready, and what was done is recorded in it. The state of the work
is never read back from Prefect.
"""
