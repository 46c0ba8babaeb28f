"""The methods of Chen et al. 2024 as published, for comparison."""
