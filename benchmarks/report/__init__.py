"""Tables, sentences and plots made from the figures."""
