"""From the figures to what a person looks at: tables and plots."""
