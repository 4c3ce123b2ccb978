"""The report: a page with figures of the refreshes that the states' commits record."""
