"""Write the record or the plan for others.

Example:
    clusterwright export bundle turnover
    clusterwright export schedule plan.xml

"""
