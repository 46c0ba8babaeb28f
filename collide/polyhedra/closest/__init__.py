"""Closest features of convex meshes (Lin and Canny; Ponamgi, Manocha and Lin 1995); a common point of those that meet."""
