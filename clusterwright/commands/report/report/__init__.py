"""Write reports from the ledger.

Example:
    clusterwright report week --format html --out week.html
    clusterwright report summary

"""
