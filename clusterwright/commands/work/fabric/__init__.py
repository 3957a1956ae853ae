"""Compare the fabric that was found with the drawn one, and find what makes pairs of servers slow.

Example:
    clusterwright fabric compare found/
    clusterwright fabric rounds --unit pod-001
    clusterwright fabric culprits pairs.csv

"""
