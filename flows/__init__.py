"""Making it happen: phase flows, the dispatcher, Ansible runs, rehearsals.

The only room that imports Prefect. The ledger is asked what is ready and told what was done; nothing is ever
read back from Prefect.
"""
