"""What may go wrong with the project's ivm models, before it does: facts, findings, remedies."""
