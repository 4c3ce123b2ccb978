"""What to do now: watermark and ranges become a choice, and a plan with its reason."""
