"""Files for other programs: read back, they are the bodies."""

import gc

import numpy as np
import pytest

from collide.picture import save_film, save_mesh
from generative import Rigid, t
from models.shapes.quadrics import sphere
from tests.collide.answers.test_contacts import contacts

BALLS = [sphere().named("one").moved(Rigid(translation=[4 - t, 0, 0])), sphere(radius=2).named("two")]


@pytest.mark.parametrize("ending", [".glb", ".gltf", ".stl", ".ply", ".obj"])
def test_meshes_are_where_the_bodies_are(tmp_path, ending):
    trimesh = pytest.importorskip("trimesh")
    save_mesh(tmp_path / f"balls{ending}", BALLS, time=0.5)
    assert [p.name for p in tmp_path.iterdir() if p.suffix == ending] == [f"balls{ending}"]
    scene = trimesh.load_scene(tmp_path / f"balls{ending}")
    np.testing.assert_allclose(scene.bounds, [[-2, -2, -2], [4.5, 2, 2]], atol=0.01)
    volume = sum(abs(g.volume) for g in scene.geometry.values())
    assert volume == pytest.approx(4 / 3 * np.pi * 9, rel=0.01)
    if ending in (".glb", ".gltf"):
        assert set(scene.geometry) == {"one", "two"}


def test_a_film(tmp_path):
    imageio = pytest.importorskip("imageio.v3")
    save_film(tmp_path / "balls.gif", BALLS, time=(0, 1), seconds=0.4, rate=20, size=80)
    film = imageio.imread(tmp_path / "balls.gif")
    assert len(film) == 8 and film.shape[1:3] == (80, 80) and (film[0] != film[-1]).any()
    with pytest.raises(ValueError, match="in which something moves"):
        save_film(tmp_path / "still.gif", [sphere()])


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # the library leaves pipes to be closed by themselves
def test_a_film_that_players_of_videos_show(tmp_path, caplog):
    """Of an even number of pixels, and of no more than that."""
    ffmpeg = pytest.importorskip("imageio_ffmpeg")
    save_film(tmp_path / "balls.mp4", BALLS, time=(0, 1), seconds=0.4, rate=20, size=81)
    told, *film = ffmpeg.read_frames(str(tmp_path / "balls.mp4"))
    assert told["size"] == (82, 82) and told["fps"] == 20 and len(film) == 8 and not caplog.records
    first, last = (np.frombuffer(film[k], np.uint8).astype(int) for k in (0, -1))
    assert abs(first - last).mean() > 3
    gc.collect()


def test_what_cannot_be_written_is_refused(tmp_path):
    with pytest.raises(ValueError, match=r"must end in \.glb, .* got 'balls\.step'"):
        save_mesh(tmp_path / "balls.step", BALLS)
    with pytest.raises(ValueError, match=r"must end in \.gif, \.mp4"):
        save_film(tmp_path / "balls.avi", contacts(bodies=BALLS))
