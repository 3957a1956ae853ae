"""Record what somebody is to do by a day, as a meeting agrees, and close it when it is done.

Example:
    clusterwright action add 'Ask the crane firm for a Saturday' --owner operator --due 2027-01-31
    clusterwright action list

"""
