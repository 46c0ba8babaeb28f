"""First contacts of two meshes in motion."""
