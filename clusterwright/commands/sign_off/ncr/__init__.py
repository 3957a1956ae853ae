"""Decide on non-conformances, and close them.

Example:
    clusterwright ncr list
    clusterwright ncr disposition NCR-0001 rework --owner operator --due 2027-01-31

"""
