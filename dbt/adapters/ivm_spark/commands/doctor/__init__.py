"""The doctor: facts about the project's ivm models, findings of what may fail, and remedies."""
