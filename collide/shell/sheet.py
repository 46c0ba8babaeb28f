"""`Sheet`: a rectangle of bicubic Hermite patches with mass and elasticity."""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from codegen.given import doubles, shown

from ..frozen import Frozen
from ..given import check_positive, is_number
from . import koiter
from .hermite import functions, gauss, places_of_patches, triangulation

_ORDERS = ((1, 0), (0, 1), (2, 0), (1, 1), (0, 2))
_GAUSS = 3


class Sheet(Frozen):
    """A thin sheet of n by m patches, flat at rest in the plane z = 0, its middle at the origin.

    Parameters
    ----------
    size : tuple of float
        Lengths along x and y.
    patches : tuple of int
        The numbers of patches along x and y.
    thickness, young, poisson, density : float
        Thickness h; Young's modulus; Poisson's ratio, from 0 to less than 1/2; mass for each unit of volume.
    cells : int, optional
        Cells along each side of a patch, of the triangles by which contacts are found; at least 2, since with one the slopes of what lies
        between the nodes would be free.

    Raises
    ------
    ValueError
        For numbers out of their range.

    Notes
    -----
    The energy is (h / 2) E:C:E + (h^3 / 24) K:C:K for each unit of rest area (Koiter's form), by 3 by 3 Gauss points a patch. The mass
    matrix is that of the formula, integrated exactly.

    Examples
    --------
    >>> from collide import shell
    >>> sheet = shell.Sheet((1, 1), (4, 4), thickness=1e-3, young=1e6, poisson=0.3, density=300)
    >>> round(sheet.energy(1.01 * sheet.rest), 6) > 0, abs(sheet.energy(sheet.rest)) < 1e-12
    (True, True)
    """

    def __init__(self, size: tuple[float, float], patches: tuple[int, int], *, thickness: float, young: float, poisson: float = 0.3,
                 density: float, cells: int = 2) -> None:
        for name, value in (("thickness", thickness), ("Young's modulus", young), ("density", density), *(("size", s) for s in size)):
            check_positive(f"the {name} of a sheet", value)
        if not (is_number(poisson) and 0 <= poisson < 0.5):
            raise ValueError(f"Poisson's ratio of a sheet is from 0 to less than 1/2, got {shown(poisson)}")
        if len(patches) != 2 or not all(isinstance(n, (int, np.integer)) and n > 0 for n in patches):
            raise ValueError(f"a sheet has positive numbers of patches along x and y, got {shown(patches)}")
        if not isinstance(cells, (int, np.integer)) or cells < 2:
            raise ValueError(f"a patch of a sheet has at least 2 cells along each side, got {shown(cells)}")
        self.size, self.patches, self.cells = (float(size[0]), float(size[1])), (int(patches[0]), int(patches[1])), int(cells)
        self.thickness, self.density = float(thickness), float(density)
        self.material = koiter.Material.of(float(young), float(poisson), float(thickness))
        self.rest = self._flat()
        self._freeze()

    def _flat(self) -> np.ndarray:
        (n, m), (width, depth) = self.patches, self.size
        places = np.zeros((n + 1, m + 1, 4, 3))
        along = np.linspace(-0.5, 0.5, n + 1) * width, np.linspace(-0.5, 0.5, m + 1) * depth
        places[..., 0, 0], places[..., 0, 1] = np.meshgrid(*along, indexing="ij")
        places[..., 1, 0], places[..., 2, 1] = width / n, depth / m
        return places.reshape(-1, 3)

    @property
    def nodes(self) -> np.ndarray:
        """(n + 1, m + 1): numbers of the nodes, of each of which the rows 4 k to 4 k + 3 of places are x, x_u, x_v and x_uv."""
        return np.arange((self.patches[0] + 1) * (self.patches[1] + 1)).reshape(self.patches[0] + 1, -1)

    # -- energy -------------------------------------------------------------------------------------------------------

    @functools.cached_property
    def _of_patches(self) -> np.ndarray:
        return places_of_patches(self.patches)

    @functools.cached_property
    def _points(self) -> tuple[np.ndarray, np.ndarray]:
        """The derivatives (g, 5, 16) of the functions of a patch at Gauss points, and the areas (g,) that these stand for."""
        at, weights = gauss(_GAUSS)
        area = self.size[0] * self.size[1] / (self.patches[0] * self.patches[1])
        return np.stack([functions(at, o) for o in _ORDERS], axis=1), weights * area

    @functools.cached_property
    def _at_rest(self) -> np.ndarray:
        return koiter.at_rest(self._derivatives(self.rest), self.material)

    def _derivatives(self, places: np.ndarray) -> np.ndarray:
        """(patches g, 5, 3): derivatives of the place at all Gauss points."""
        return np.einsum("gdk,pki->pgdi", self._points[0], places[self._of_patches]).reshape(-1, 5, 3)

    def _evaluated(self, kernel: Any, places: np.ndarray) -> np.ndarray:
        return np.asarray(kernel.points(self._derivatives(places).reshape(-1, 15), parameters=self._at_rest))

    def energy(self, places: np.ndarray) -> float:
        """Elastic energy of places (4 k, 3) of k nodes."""
        found = self._evaluated(koiter.kernels().value, self._checked(places)).reshape(-1, len(self._points[1]))
        return float((found * self._points[1]).sum())

    def gradient(self, places: np.ndarray) -> np.ndarray:
        """(4 k, 3): derivatives of the energy by places."""
        rows = self._evaluated(koiter.kernels().gradient, self._checked(places)).reshape(-1, len(self._points[1]), 5, 3)
        own = np.einsum("gdk,pgdi,g->pki", *(self._points[0], rows, self._points[1]))
        found = np.zeros_like(self.rest)
        np.add.at(found, self._of_patches, own)
        return found

    def hessian(self, places: np.ndarray) -> Any:
        """(12 k, 12 k) SciPy sparse matrix: second derivatives of the energy, without negative eigenvalues of any Gauss point."""
        from scipy.sparse import coo_array

        count, functions_, areas = len(self._points[1]), *self._points
        rows = koiter.semidefinite(self._evaluated(koiter.kernels().hessian, self._checked(places)).reshape(-1, 15, 15))
        rows = rows.reshape(-1, count, 5, 3, 5, 3) * areas[:, None, None, None, None]
        half = np.einsum("gdk,pgdiej->pgkiej", functions_, rows, optimize=True)
        own = np.einsum("pgkiej,gel->pkilj", half, functions_, optimize=True).reshape(-1, 48, 48)
        where = (3 * self._of_patches[:, :, None] + np.arange(3)).reshape(-1, 48)
        i, j = np.broadcast_to(where[:, :, None], own.shape), np.broadcast_to(where[:, None, :], own.shape)
        return coo_array((own.ravel(), (i.ravel(), j.ravel())), shape=(self.rest.size,) * 2).tocsc()

    @functools.cached_property
    def mass(self) -> Any:
        """(12 k, 12 k) SciPy sparse matrix: the consistent mass, the same for each coordinate."""
        from scipy.sparse import coo_array, eye_array, kron

        at, weights = gauss(4)
        own = np.einsum("gk,gl,g->kl", *(functions(at),) * 2, weights)
        own *= self.density * self.thickness * self.size[0] * self.size[1] / (self.patches[0] * self.patches[1])
        where = self._of_patches
        i, j = np.broadcast_to(where[:, :, None], (len(where), 16, 16)), np.broadcast_to(where[:, None, :], (len(where), 16, 16))
        values = np.broadcast_to(own, i.shape)
        scalar = coo_array((values.ravel(), (i.ravel(), j.ravel())), shape=(len(self.rest),) * 2).tocsc()
        return kron(scalar, eye_array(3)).tocsc()

    # -- triangles ----------------------------------------------------------------------------------------------------

    @functools.cached_property
    def _triangulated(self) -> tuple[Any, np.ndarray]:
        from scipy.sparse import csr_array

        points, triangles = triangulation(self.patches, self.cells)
        weights = functions(np.array([at for _, at in points]))
        columns = self._of_patches[[patch for patch, _ in points]]
        starts = 16 * np.arange(len(points) + 1)
        return csr_array((weights.ravel(), columns.ravel(), starts), shape=(len(points), len(self.rest))), triangles

    @property
    def triangles(self) -> np.ndarray:
        """(t, 3): triangles between points of the sheet."""
        return self._triangulated[1]

    @property
    def weights(self) -> Any:
        """(p, 4 k) SciPy sparse matrix: points of the sheet are these times the places of its nodes."""
        return self._triangulated[0]

    def points(self, places: np.ndarray) -> np.ndarray:
        """(p, 3): points of the sheet, the corners of its triangles."""
        return np.asarray(self.weights @ self._checked(places))

    def nets(self, places: np.ndarray) -> np.ndarray:
        """(patches, 4, 4, 3): Bezier control points of the patches (`generative.patch.hermite_to_bezier`)."""
        own = self._checked(places)[self._of_patches].reshape(-1, 2, 2, 2, 2, 3)
        # Axes: patch, corner along u, along v, then derivative by v, by u (x, x_u, x_v, x_uv), coordinate.
        along = np.array([[[1.0, 0], [1.0, 1 / 3], [0, 0], [0, 0]], [[0, 0], [0, 0], [1.0, -1 / 3], [1.0, 0]]])
        return np.einsum("cia,djb,pcdbax->pijx", along, along, own, optimize=True)

    def deviation(self, places: np.ndarray) -> float:
        """A bound, except for rounding, of the distance of all points of the patches from their triangles: h^2 / 4 times that of the second
        derivatives in any direction of the parameters, of which a cell is h long; these by second differences of control points.
        """
        nets = self.nets(places)

        def largest(differences: np.ndarray) -> float:
            return float(np.linalg.norm(differences, axis=-1).max())

        uu, vv = (6.0 * largest(np.diff(nets, 2, axis=k)) for k in (1, 2))
        uv = 9.0 * largest(np.diff(np.diff(nets, axis=1), axis=2))
        return (max(uu, vv) + uv) / (4.0 * self.cells**2)

    def placed(self, place: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
        """Places (4 k, 3) of the nodes where a map takes the flat sheet: points (n, 3) to points (n, 3); derivatives by differences."""
        h = 1e-4
        flat = self.rest.reshape(-1, 4, 3)
        u, v = flat[:, 1], flat[:, 2]
        at = {(i, j): np.asarray(place(flat[:, 0] + i * h * u + j * h * v), float) for i in (-1, 0, 1) for j in (-1, 0, 1)}
        by_both = (at[1, 1] - at[1, -1] - at[-1, 1] + at[-1, -1]) / (4.0 * h * h)
        rows = at[0, 0], (at[1, 0] - at[-1, 0]) / (2.0 * h), (at[0, 1] - at[0, -1]) / (2.0 * h), by_both
        return np.stack(rows, axis=1).reshape(-1, 3)

    def _checked(self, places: Any) -> np.ndarray:
        found = doubles(places, "places of the nodes of a sheet", f"({len(self.rest)}, 3)")
        if found.shape != self.rest.shape:
            raise ValueError(f"places of the nodes of a sheet have the shape {self.rest.shape}, four rows a node; got {found.shape}")
        return np.asarray(found)

    def __repr__(self) -> str:
        return f"Sheet({self.size[0]:g} x {self.size[1]:g}, {self.patches[0]} x {self.patches[1]} patches)"
