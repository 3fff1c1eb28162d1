#!/usr/bin/env python3
"""Writes the snake arm of the default problem: config/snake.urdf, config/snake.srdf and its meshes.

24 joints: joint_01 feeds the carriage along a rail, joint_02 to joint_24 bend, yaw and pitch in
turn. The body is a tube that gets thinner towards the tip; every link is a closed mesh with rounded
ends, one file for all of them, scaled. Metres and radians. Run it again after a change here: what
it writes is under version control, and a test compares the two.
"""

import math
import pathlib
import sys

NUM_JOINTS = 24
LINK_LENGTH = 0.11
FIRST_RADIUS, LAST_RADIUS = 0.045, 0.028
RAIL_START, RAIL_END = -2.10, 0.05  # x
FEED = 1.8                          # travel of joint_01
HEIGHT = 0.70                       # of the straight body
YAW_LIMIT, PITCH_LIMIT = 0.18, 0.12
SEGMENTS = 12                       # around the tube

# (x, radius / FIRST_RADIUS) from the rear end to the front one: collar, waist, collar. The ends
# reach 16 mm into the neighbours, so that the tube stays closed when it bends.
LINK_PROFILE = [(-0.016, 0.0), (-0.016, 0.45), (-0.010, 0.78), (0.001, 0.96), (0.014, 1.00),
                (0.019, 0.87), (0.086, 0.85), (0.092, 0.97), (0.104, 0.95), (0.118, 0.74),
                (0.126, 0.42), (0.126, 0.0)]
# The tip carries a lens in a shallow recess.
HEAD_PROFILE = [(-0.016, 0.0), (-0.016, 0.45), (-0.010, 0.78), (0.001, 0.96), (0.014, 1.00),
                (0.020, 0.88), (0.050, 0.88), (0.064, 1.05), (0.100, 1.05), (0.116, 0.92),
                (0.122, 0.70), (0.118, 0.60), (0.112, 0.0)]

# The body passes both openings of config/scene.yaml and ends among the pipes: found by fitting the
# centreline to the middles of the openings and of the gaps between pipes, then rounded.
GOAL = [1.750, 0.079, 0.034, 0.018, 0.032, 0.021, -0.066, -0.097,
        -0.007, -0.171, -0.091, -0.139, -0.028, 0.030, -0.042, 0.171,
        0.114, 0.171, 0.114, 0.171, 0.080, 0.136, -0.049, -0.171]


def revolve(profile):
    """Vertices and outward triangles of the closed surface of a profile turned about x."""
    vertices, triangles = [], []
    rings = []
    for x, r in profile:
        if r == 0.0:
            rings.append([len(vertices)] * SEGMENTS)
            vertices.append((x, 0.0, 0.0))
            continue
        first = len(vertices)
        for k in range(SEGMENTS):
            a = 2.0 * math.pi * k / SEGMENTS
            vertices.append((x, r * FIRST_RADIUS * math.cos(a), r * FIRST_RADIUS * math.sin(a)))
        rings.append(list(range(first, first + SEGMENTS)))
    for rear, front in zip(rings, rings[1:]):
        for k in range(SEGMENTS):
            n = (k + 1) % SEGMENTS
            for t in ((rear[k], rear[n], front[k]), (rear[n], front[n], front[k])):
                if len(set(t)) == 3:
                    triangles.append(t)
    return vertices, triangles


def obj(name, profile):
    vertices, triangles = revolve(profile)
    lines = ["# %s: closed, metres; made by scripts/make_snake.py" % name, "o " + name]
    # Five decimals are 10 micrometres, and read the same in every program.
    lines += ["v %.5f %.5f %.5f" % tuple(c + 0.0 for c in v) for v in vertices]
    lines += ["f %d %d %d" % tuple(i + 1 for i in t) for t in triangles]
    return "\n".join(lines).replace("-0.00000", "0.00000") + "\n"


def number(x):
    return ("%.5f" % x).rstrip("0").rstrip(".")


def shape(tag, geometry, xyz, material):
    colour = '<material name="%s"/>' % material if tag == "visual" else ""
    return ('    <%s><origin xyz="%s"/><geometry>%s</geometry>%s</%s>'
            % (tag, " ".join(number(c) for c in xyz), geometry, colour, tag))


def link(name, shapes, material):
    lines = ['  <link name="%s">' % name]
    for tag in ("visual", "collision"):
        lines += [shape(tag, geometry, xyz, material) for geometry, xyz in shapes]
    return lines + ["  </link>"]


def box(x, y, z):
    return '<box size="%s %s %s"/>' % (number(x), number(y), number(z))


def urdf():
    lines = ['<?xml version="1.0"?>',
             '<!-- The snake arm of the default problem; made by scripts/make_snake.py. -->',
             '<robot name="snake">',
             '  <material name="steel"><color rgba="0.35 0.40 0.44 1"/></material>',
             '  <material name="dark"><color rgba="0.04 0.48 0.60 1"/></material>',
             '  <material name="light"><color rgba="0.18 0.62 0.72 1"/></material>']
    rail = RAIL_END - RAIL_START
    lines += link("base", [(box(rail, 0.16, 0.08), ((RAIL_START + RAIL_END) / 2, 0.0, 0.04))],
                  "steel")
    lines += link("link_01", [
        (box(0.22, 0.20, 0.08), (-0.13, 0.0, 0.13 - HEIGHT)),
        ('<cylinder radius="0.05" length="0.48"/>', (-0.13, 0.0, 0.395 - HEIGHT)),
        (box(0.16, 0.14, 0.14), (-0.11, 0.0, 0.0))], "steel")
    ratio = (LAST_RADIUS / FIRST_RADIUS) ** (1.0 / (NUM_JOINTS - 2))
    for i in range(2, NUM_JOINTS + 1):
        name = "snake_head" if i == NUM_JOINTS else "snake_link"
        scale = number(ratio ** (i - 2))
        mesh = '<mesh filename="meshes/%s.obj" scale="1 %s %s"/>' % (name, scale, scale)
        lines += link("link_%02d" % i, [(mesh, (0.0, 0.0, 0.0))], "dark" if i % 2 else "light")
    lines += ['  <link name="lens"/>']

    lines += ['  <joint name="joint_01" type="prismatic">',
              '    <parent link="base"/><child link="link_01"/>',
              '    <origin xyz="%s 0 %s"/><axis xyz="1 0 0"/>' % (number(-FEED), number(HEIGHT)),
              '    <limit lower="0" upper="%s" effort="400" velocity="0.2"/>' % number(FEED),
              '  </joint>']
    for i in range(2, NUM_JOINTS + 1):
        yaw = i % 2 == 0
        limit = number(YAW_LIMIT if yaw else PITCH_LIMIT)
        lines += ['  <joint name="joint_%02d" type="revolute">' % i,
                  '    <parent link="link_%02d"/><child link="link_%02d"/>' % (i - 1, i),
                  '    <origin xyz="%s 0 0"/><axis xyz="%s"/>'
                  % (number(0.0 if i == 2 else LINK_LENGTH), "0 0 1" if yaw else "0 1 0"),
                  '    <limit lower="-%s" upper="%s" effort="40" velocity="0.5"/>' % (limit, limit),
                  '  </joint>']
    lines += ['  <joint name="lens_mount" type="fixed">',
              '    <parent link="link_%02d"/><child link="lens"/>' % NUM_JOINTS,
              '    <origin xyz="0.112 0 0"/>', '  </joint>', '</robot>']
    return "\n".join(lines) + "\n"


def srdf():
    def state(name, values):
        lines = ['  <group_state name="%s" group="arm">' % name]
        lines += ['    <joint name="joint_%02d" value="%s"/>' % (i + 1, number(v))
                  for i, v in enumerate(values)]
        return lines + ['  </group_state>']

    arc = [0.0] + [0.09 if i % 2 == 0 else 0.0 for i in range(NUM_JOINTS - 1)]
    lines = ['<?xml version="1.0"?>',
             '<!-- Groups and states of the snake arm; made by scripts/make_snake.py. -->',
             '<robot name="snake">',
             '  <group name="arm"><chain base_link="base" tip_link="link_%02d"/></group>'
             % NUM_JOINTS]
    lines += ["  <!-- home: out of the way; start: straight in front of the first wall; goal: "
              "through both walls, in the pipes -->"]
    lines += state("home", arc) + state("start", [0.0] * NUM_JOINTS) + state("goal", GOAL)
    lines += ["  <!-- Neighbours overlap by design, so that the tube stays closed. -->"]
    names = ["base"] + ["link_%02d" % i for i in range(1, NUM_JOINTS + 1)]
    lines += ['  <disable_collisions link1="%s" link2="%s" reason="Adjacent"/>' % pair
              for pair in zip(names, names[1:])]
    return "\n".join(lines + ["</robot>"]) + "\n"


def main():
    default = pathlib.Path(__file__).resolve().parent.parent / "config"
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else default
    (folder / "meshes").mkdir(parents=True, exist_ok=True)
    for name, text in (("meshes/snake_link.obj", obj("snake_link", LINK_PROFILE)),
                       ("meshes/snake_head.obj", obj("snake_head", HEAD_PROFILE)),
                       ("snake.urdf", urdf()), ("snake.srdf", srdf())):
        (folder / name).write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
