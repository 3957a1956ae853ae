"""Every rule of the ledger, once: pure functions over values, with no database, clock or file.

Decisions refuse by them, questions and screens answer by them, and the audit will judge by them.
"""
