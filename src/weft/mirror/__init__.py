"""A site that works with the network off: which file each URL becomes, and how links lead from file to file."""
