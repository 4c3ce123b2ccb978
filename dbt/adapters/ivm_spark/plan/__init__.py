"""What to do now: watermark and version ranges become a choice, and a plan with its reason."""
