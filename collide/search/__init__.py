"""The search engine: one native loop over boxes of many problems."""
