"""The OpenAI-compatible proxy: passes requests on to a model, with what memory has to say."""
