"""Every rule of the ledger, once: pure functions over values, without a database, a clock or a file.

Decisions, questions and screens call them, so that all of them accept and refuse the same.
"""
