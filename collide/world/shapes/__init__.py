"""Facts of a shape at rest: flat faces, spheres, bounding trees, normals."""
