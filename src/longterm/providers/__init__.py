"""Language models and embedders behind two small protocols, and what makes them bearable."""
