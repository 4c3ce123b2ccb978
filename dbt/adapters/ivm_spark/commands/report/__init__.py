"""A page to look at: the refreshes that the states' commits record, drawn."""
