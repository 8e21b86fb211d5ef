"""Sites go through glTF as marked leaf nodes; files without such nodes read as they always did."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gltf_oracles import assert_valid
from gltf_samples import character
from sample_figures import assert_same, mixed, wandering

from posewright.clips import walk
from posewright.figures import Site, catalogue
from posewright.figures.kinematics import site_frames
from posewright.formats import load, load_figure, load_motion
from posewright.motions import Motion


@pytest.mark.parametrize("suffix", [".glb", ".gltf"])
def test_sites_come_back_as_they_were(tmp_path: Path, suffix: str) -> None:
    figure = mixed()
    wandering(figure).save(tmp_path / f"m{suffix}")
    assert_valid(tmp_path / f"m{suffix}")
    back = load_motion(tmp_path / f"m{suffix}").figure
    assert back.joint_names == figure.joint_names
    for site in figure.sites:
        assert_same(site, back.site(site.name))


def test_tips_survive_bvh_to_glb_to_bvh(tmp_path: Path) -> None:
    original = walk(catalogue.build("human40"), steps=1)
    original.save(tmp_path / "a.bvh")
    first = load_motion(tmp_path / "a.bvh")
    first.save(tmp_path / "b.glb")
    load_motion(tmp_path / "b.glb").save(tmp_path / "c.bvh")
    last = load_motion(tmp_path / "c.bvh")
    assert first.figure.site_names == last.figure.site_names
    ours, theirs = (site_frames(m.figure, m.q, list(m.figure.site_names)).points for m in (first, last))
    assert np.abs(ours - theirs).max() < 1e-6
    assert all(site.tip for site in last.figure.sites)


def test_a_character_takes_new_and_moved_sites_with_it(tmp_path: Path) -> None:
    character().glb(tmp_path / "theirs.glb")  # an armature in centimetres
    motion = load_motion(tmp_path / "theirs.glb")
    joint = motion.figure.joint_names[1]
    for point in ((0.1, 0.2, 0.0), (0.3, 0.0, -0.1)):
        site = Site(name="grip", joint=joint, point=point, x_axis=(0, 0, 1), tip=True)
        motion = replace(motion, figure=motion.figure.with_sites(site))
        motion.save(tmp_path / "ours.glb")
        assert_valid(tmp_path / "ours.glb")
        motion = load_motion(tmp_path / "ours.glb")
        assert motion.figure.site_names == ("grip",)
        assert_same(motion.figure.site("grip"), site)
        motion.pose(0).save(tmp_path / "posed.glb")
        assert_same(load_figure(tmp_path / "posed.glb").site("grip"), site)


def test_a_site_may_have_the_name_of_its_own_joint(tmp_path: Path) -> None:
    figure = replace(mixed(), sites=(Site(name="arm", joint="arm", point=(0.2, 0, 0)),))
    wandering(figure).save(tmp_path / "m.glb")
    assert_same(load_motion(tmp_path / "m.glb").figure.sites, figure.sites)


def _marked(**fields: Any) -> dict[str, Any]:
    return {"name": "end", "extras": {"posewright_site": "tip"}, **fields}


def test_a_mark_counts_only_on_an_empty_leaf(tmp_path: Path) -> None:
    sample = character()
    nodes = sample.document["nodes"]
    joint = sample.document["skins"][0]["joints"][0]
    first = len(nodes)
    nodes[joint].setdefault("children", []).extend(range(first, first + 5))
    nodes += [
        _marked(),
        _marked(name="parent", children=[first + 5]),
        {"name": "other program", "extras": "posewright_site"},
        {"name": "unknown mark", "extras": {"posewright_site": ["tip"]}},
        _marked(),
        {"name": "child"},
    ]
    figure = load(sample.glb(tmp_path / "m.glb")).figure
    assert figure.site_names == ("end", "end_")
    assert {"parent", "other program", "unknown mark", "child"} <= set(figure.joint_names)


def test_a_marked_node_that_is_animated_is_a_joint(tmp_path: Path) -> None:
    sample = character()
    target = sample.document["animations"][0]["channels"][0]["target"]
    nodes = sample.document["nodes"]
    nodes[sample.document["skins"][0]["joints"][0]].setdefault("children", []).append(len(nodes))
    target["node"] = len(nodes)
    nodes.append(_marked())
    motion = load(sample.glb(tmp_path / "m.glb"))
    assert isinstance(motion, Motion)
    assert "end" in motion.figure.joint_names
    assert not motion.figure.sites
