"""What to do now: watermark and windows become a choice, and a plan with its reason."""
