"""Read and check the steps and the hold points.

Example:
    clusterwright catalog list --phase power
    clusterwright catalog show 034

"""
