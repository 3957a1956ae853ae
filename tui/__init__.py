"""Seeing and signing: Textual screens over the ledger's read models and services.

This room holds no business rule and runs nothing: runs, retries and cancellations are requests that it
records and the dispatcher answers.
"""
