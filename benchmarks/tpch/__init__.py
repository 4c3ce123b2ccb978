"""TPC-H as ivm models: the data, the 22 queries, and the changes to refresh them by."""
