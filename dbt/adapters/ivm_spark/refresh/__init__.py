"""What to do now: watermark and changes become a plan, with its reason."""
