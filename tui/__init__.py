"""Seeing and signing: Textual screens that ask the ledger's questions and take its decisions.

This room holds no business rule and runs nothing. Runs, retries and cancellations are requests that it records. The
dispatcher answers them.
"""
