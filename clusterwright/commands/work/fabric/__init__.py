"""Compare the fabric that was found with the drawn one, configure its switches, and find what makes pairs of servers slow.

Example:
    clusterwright fabric compare found/
    clusterwright fabric configure --out switches
    clusterwright fabric rounds --unit pod-001
    clusterwright fabric culprits pairs.csv

"""
