// The scene readers: every form, every file of data/scenes, and a message for each error.

#include "catena/io/scene_file.hpp"

#include <cmath>
#include <cstdint>
#include <fstream>
#include <map>
#include <random>
#include <sstream>

#include <gtest/gtest.h>
#include <Eigen/Geometry>
#ifdef CATENA_HAVE_OCTOMAP
#include <octomap/octomap.h>
#endif

#include "catena/io/input_error.hpp"
#include "catena/io/request_file.hpp"
#include "support/damage.hpp"
#include "support/data.hpp"
#include "support/temporary_folder.hpp"

namespace catena::io {
namespace {

using test::TemporaryFolder;

std::string message_of(const std::string& path, const SceneOptions& options = {}) {
  try {
    (void)load_scene(path, options);
    return "accepted";
  } catch (const InputError& error) {
    const std::string message = error.what();
    return message.starts_with(path) ? message.substr(path.rfind('/') + 1) : message;
  }
}

std::shared_ptr<const Scene> load(const TemporaryFolder& folder, const std::string& name,
                                  const std::string& text) {
  return load_scene(folder.write(name, text));
}

// X_WG within 1e-12 of what Eigen's own quaternions give.
void expect_pose(const PlacedGeometry& placed, const Eigen::Isometry3d& X) {
  EXPECT_LT((placed.X_FG.X.R - X.linear()).norm(), 1e-12);
  EXPECT_LT((placed.X_FG.X.p - X.translation()).norm(), 1e-12);
  EXPECT_LT(placed.X_FG.rotation_error, 1e-13);
  EXPECT_LT(placed.X_FG.position_error, 1e-12);
}

Eigen::Isometry3d pose(double x, double y, double z, double qx, double qy, double qz, double qw) {
  return Eigen::Translation3d(x, y, z) * Eigen::Quaterniond(qw, qx, qy, qz).normalized();
}

std::string object_text(const std::string& rest) {
  return "{\"objects\": [{\"id\": \"o\", " + rest + "}]}";
}

TEST(SmallScene, ReadsEveryShape) {
  const TemporaryFolder folder;
  folder.write("meshes/t.obj",
               "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n");
  const auto scene = load(folder, "s.json", R"({"units": {"length": "m"}, "frame": "world",
 "objects": [
  {"id": "box", "shape": "box", "size": [1, 2, 3], "pose": {"xyz": [1, 2, 3], "quat_xyzw": [0, 0, 2, 2]}},
  {"id": "sphere", "shape": "sphere", "radius": 0.5},
  {"id": "cylinder", "shape": "cylinder", "radius": 0.5, "length": 2, "pose": {"rpy": [0.1, 0.2, 0.3]}},
  {"id": "capsule", "shape": "capsule", "radius": 0.5, "length": 2, "color": "red"},
  {"id": "cone", "shape": "cone", "radius": 0.5, "length": 2},
  {"id": "plane", "shape": "plane", "normal": [0, 0, 2], "offset": -0.5},
  {"id": "mesh", "shape": "mesh", "file": "meshes/t.obj", "scale": 2},
  {"id": "surface", "shape": "mesh", "file": "meshes/t.obj", "solid": false}
 ]})");
  ASSERT_EQ(scene->objects.size(), 8u);
  const auto shape = [&](std::size_t i) -> const Geometry& {
    return *scene->objects[i].geometries.at(0).geometry;
  };
  EXPECT_EQ(std::get<Box>(shape(0).primitive()).size, Vector3d(1, 2, 3));
  expect_pose(scene->objects[0].geometries[0], pose(1, 2, 3, 0, 0, 1, 1));
  EXPECT_EQ(std::get<Sphere>(shape(1).primitive()).radius, 0.5);
  EXPECT_EQ(scene->objects[1].geometries[0].X_FG.position_error, 0.0);
  EXPECT_EQ(std::get<Cylinder>(shape(2).primitive()).length, 2.0);
  expect_pose(scene->objects[2].geometries[0],
              Eigen::Isometry3d(Eigen::AngleAxisd(0.3, Vector3d::UnitZ()) *
                                Eigen::AngleAxisd(0.2, Vector3d::UnitY()) *
                                Eigen::AngleAxisd(0.1, Vector3d::UnitX())));
  EXPECT_EQ(std::get<Capsule>(shape(3).primitive()).length, 2.0);
  EXPECT_EQ(std::get<Cone>(shape(4).primitive()).radius, 0.5);
  const auto& half_space = std::get<HalfSpace>(shape(5).primitive());
  EXPECT_EQ(half_space.offset / half_space.normal.z(), -0.25);
  EXPECT_EQ(shape(6).mesh().triangles.size(), 4u);
  EXPECT_TRUE(shape(6).is_solid());
  EXPECT_FALSE(shape(7).is_solid());
  ASSERT_EQ(scene->warnings.size(), 1u);  // the quaternion of length 2.8
  EXPECT_NE(
      scene->warnings[0].find("s.json:3: objects[0].pose.quat_xyzw: the quaternion has length"),
      std::string::npos);
}

TEST(SmallScene, YamlGivesTheSame) {
  const TemporaryFolder folder;
  const auto scene = load(folder, "s.yaml",
                          "objects:\n  - &first {id: 7, shape: box, size: &s [1, 2, 3]}\n"
                          "  - id: true\n    shape: box\n    size: *s\n");
  ASSERT_EQ(scene->objects.size(), 2u);
  EXPECT_EQ(scene->objects[0].name, "7");
  EXPECT_EQ(scene->objects[1].name, "true");
  EXPECT_EQ(std::get<Box>(scene->objects[1].geometries[0].geometry->primitive()).size,
            Vector3d(1, 2, 3));
}

TEST(SmallScene, SaysWhatIsWrong) {
  const TemporaryFolder folder;
  folder.write("open.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  const auto say = [&](const std::string& rest) {
    return message_of(folder.write("s.json", object_text(rest)));
  };
  const auto say_all = [&](const std::string& text) {
    return message_of(folder.write("s.json", text));
  };
  EXPECT_EQ(say_all(""),
            "s.json:1: syntax error while parsing value - unexpected end of input; "
            "expected '[', '{', or a literal; correct the JSON there");
  EXPECT_EQ(say_all("{}"),
            "s.json:1: neither \"objects\" nor \"world\" is there; give a scene in "
            "one of the forms of docs/formats.md");
  EXPECT_EQ(say_all("{\"objects\": [], \"world\": {}}"),
            "s.json:1: both \"objects\" and a planning scene; keep one form");
  EXPECT_EQ(say_all("{\"objects\": [], \"units\": {\"length\": \"mm\"}}"),
            "s.json:1: units.length: \"mm\" is not supported; convert the file to metres");
  EXPECT_EQ(say_all("{\"objects\": [\n{\"id\": \"o\", \"shape\": \"sphere\", \"radius\": 1},\n"
                    "{\"id\": \"o\", \"shape\": \"sphere\", \"radius\": 1}]}"),
            "s.json:3: objects[1].id: object \"o\" is given twice; give each object its own id");
  EXPECT_EQ(say(R"("size": [1, 1, 1])"), "s.json:1: objects[0]: \"shape\" is missing; add it");
  EXPECT_EQ(say(R"("shape": "torus")"),
            "s.json:1: objects[0].shape: unknown shape \"torus\"; known are box, sphere, cylinder, "
            "capsule, cone, plane, mesh");
  EXPECT_EQ(say(R"("shape": "box")"), "s.json:1: objects[0]: \"size\" is missing; add it");
  EXPECT_EQ(say(R"("shape": "box", "size": [1, -2, 1])"),
            "s.json:1: objects[0].size[1]: -2 is negative; give a size >= 0");
  EXPECT_EQ(say(R"("shape": "box", "size": [1, 0, 1])"), "accepted");
  EXPECT_EQ(say(R"("shape": "box", "size": [1, 1])"),
            "s.json:1: objects[0].size: 2 numbers where 3 are needed; give x, y, z");
  EXPECT_EQ(say(R"("shape": "sphere", "radius": "1")"),
            "s.json:1: objects[0].radius: \"1\" is not a finite number; give a decimal number");
  EXPECT_EQ(say(R"("shape": "sphere", "radius": 1, "pos": [0, 0, 0])"),
            "s.json:1: objects[0]: unknown key \"pos\"; known here are id, shape, pose, radius, "
            "note, comment, color, colour, name");
  EXPECT_EQ(say(R"("shape": "sphere", "radius": 1, "pose": {"quat_xyzw": [0, 0, 0, 0]})"),
            "s.json:1: objects[0].pose.quat_xyzw: a quaternion of length 0 is no rotation; give "
            "x, y, z, w of a unit quaternion");
  EXPECT_EQ(
      say(R"("shape": "sphere", "radius": 1, "pose": {"rpy": [0, 0, 0], "quat_xyzw": [0, 0, 0, 1]})"),
      "s.json:1: objects[0].pose: both quat_xyzw and rpy; keep one of them");
  EXPECT_EQ(say(R"("shape": "plane", "normal": [0, 0, 0])"),
            "s.json:1: objects[0].normal: a zero normal; give the outward direction");
  EXPECT_EQ(say(R"("shape": "mesh", "file": "open.obj", "scale": [1, 0, 1])"),
            "s.json:1: objects[0].scale: a factor of 0; give factors other than 0");
  EXPECT_TRUE(say(R"("shape": "mesh", "file": "none.obj")")
                  .starts_with("s.json:1: objects[0].file: the file \"none.obj\" is not there"));
  EXPECT_TRUE(say(R"("shape": "mesh", "file": "open.obj", "solid": true)")
                  .starts_with("s.json:1: objects[0].file: "));
  EXPECT_EQ(message_of((folder.path() / "none.json").string()),
            "none.json: there is no such file; check the path");
}

TEST(PlanningScene, ReadsWorldObjectsWithTheirPoses) {
  const TemporaryFolder folder;
  const auto scene = load(folder, "s.yaml", R"(name: shop
fixed_frame_transforms:
  - {child_frame_id: base, header: {frame_id: shelf}, transform: {translation: [0, 0, 10], rotation: [0, 0, 1, 1]}}
world:
  collision_objects:
    - id: many
      header: {frame_id: shelf}
      pose: {position: {x: 1, y: 0, z: 0}, orientation: {x: 0, y: 0, z: 0.6, w: 0.8}}
      primitives:
        - {type: 1, dimensions: [1, 2, 3]}
        - {type: sphere, dimensions: [0.5]}
        - {type: 3, dimensions: [2, 0.25]}
        - {type: CONE, dimensions: [2, 0.5]}
      primitive_poses:
        - {position: [0, 1, 0], orientation: [0.6, 0, 0, 0.8]}
        - {position: [0, 0, 0], orientation: [0, 0, 0, 0]}
        - {position: [0, 0, 0], orientation: [0, 0, 0, 1]}
        - {position: [0, 0, 0], orientation: [0, 0, 0, 1]}
      meshes:
        - vertices: [{x: 0, y: 0, z: 0}, [1, 0, 0], [0, 1, 0]]
          triangles: [{vertex_indices: [0, 1, 2]}, [2, 1, 0]]
      mesh_poses: [{position: [0, 0, 0], orientation: [0, 0, 0, 1]}]
      planes: [{coef: [0, 0, 1, -0.5]}]
      plane_poses: [{position: [0, 0, 0]}]
      subframe_names: [grip]
      operation: 0
    - {id: gone, primitives: [{type: 2, dimensions: [1]}], primitive_poses: [{}]}
    - {id: gone, operation: 1}
    - {id: odd, header: {frame_id: tool0}, pose: {}, primitives: [{type: 2, dimensions: [1]}]}
)");
  EXPECT_EQ(scene->name, "shop");
  ASSERT_EQ(scene->objects.size(), 2u);
  const auto& shapes = scene->objects[0].geometries;
  ASSERT_EQ(shapes.size(), 6u);
  const Eigen::Isometry3d X_WO = pose(0, 0, 10, 0, 0, 1, 1) * pose(1, 0, 0, 0, 0, 0.6, 0.8);
  expect_pose(shapes[0], X_WO * pose(0, 1, 0, 0.6, 0, 0, 0.8));
  expect_pose(shapes[1], X_WO);
  const auto& cylinder = std::get<Cylinder>(shapes[2].geometry->primitive());
  EXPECT_EQ(cylinder.length, 2.0);
  EXPECT_EQ(cylinder.radius, 0.25);
  EXPECT_EQ(std::get<Cone>(shapes[3].geometry->primitive()).radius, 0.5);
  EXPECT_EQ(shapes[4].geometry->mesh().triangles.size(), 2u);
  // z - 0.5 <= 0 is solid.
  EXPECT_EQ(std::get<HalfSpace>(shapes[5].geometry->primitive()).normal, Vector3d(0, 0, 1));
  EXPECT_EQ(std::get<HalfSpace>(shapes[5].geometry->primitive()).offset, 0.5);
  const std::string warnings = ::testing::PrintToString(scene->warnings);
  EXPECT_NE(warnings.find("an empty quaternion is taken as no rotation"), std::string::npos);
  EXPECT_NE(warnings.find("frame \\\"tool0\\\" is taken as the world frame"), std::string::npos);
}

TEST(PlanningScene, ReadsStateAttachmentsMatrixAndMargins) {
  const TemporaryFolder folder;
  const auto scene = load(folder, "s.yaml", R"(
robot_state:
  joint_state: {name: [a, b], position: [0.5, -1]}
  multi_dof_joint_state:
    joint_names: [root]
    transforms: [{translation: {x: 1, y: 2, z: 3}, rotation: {x: 0, y: 0, z: 0, w: 1}}]
  attached_collision_objects:
    - link_name: hand
      touch_links: [finger]
      object:
        id: cup
        header: {frame_id: hand}
        primitives: [{type: 2, dimensions: [0.1]}]
        primitive_poses: [{position: [0, 0, 0.2], orientation: [0, 0, 0, 1]}]
allowed_collision_matrix:
  entry_names: [hand, finger, cup, table]
  entry_values:
    - [false, true, true, false]
    - {enabled: [true, false, false, false]}
    - [true, true, false, false]
    - [false, false, false, false]
  default_entry_names: [table, floor]
  default_entry_values: [true, false]
link_padding: [{link_name: hand, padding: 0.01}, {link_name: finger, padding: 0}]
link_scale: [{link_name: hand, scale: 1}, {link_name: finger, scale: 1.1}]
)");
  EXPECT_EQ(scene->robot_state.at("b"), std::vector<double>{-1});
  EXPECT_EQ(scene->robot_state.at("root"), (std::vector<double>{1, 2, 3, 0, 0, 0, 1}));
  ASSERT_EQ(scene->attached.size(), 1u);
  EXPECT_EQ(scene->attached[0].link, "hand");
  EXPECT_EQ(scene->attached[0].touch_links, std::vector<std::string>{"finger"});
  EXPECT_EQ(scene->attached[0].object.name, "cup");
  expect_pose(scene->attached[0].object.geometries.at(0), pose(0, 0, 0.2, 0, 0, 0, 1));
  EXPECT_TRUE(scene->allowed.allows("hand", "finger"));
  EXPECT_TRUE(scene->allowed.allows("cup", "hand"));
  EXPECT_FALSE(scene->allowed.allows("finger", "cup"));  // only one side allows it
  EXPECT_FALSE(scene->allowed.allows("hand", "table"));  // an entry wins over a default
  EXPECT_TRUE(scene->allowed.allows("table", "elbow"));
  EXPECT_FALSE(scene->allowed.allows("table", "floor"));  // where defaults disagree, it is checked
  EXPECT_EQ(scene->link_padding, (std::map<std::string, double>{{"hand", 0.01}}));
  EXPECT_EQ(scene->link_scale, (std::map<std::string, double>{{"finger", 1.1}}));
  EXPECT_NE(::testing::PrintToString(scene->warnings).find("not symmetric"), std::string::npos);
}

TEST(PlanningScene, SaysWhatIsWrong) {
  const TemporaryFolder folder;
  const auto say_all = [&](const std::string& text) {
    return message_of(folder.write("s.yaml", text));
  };
  const auto say = [&](const std::string& rest) {
    return say_all("world:\n collision_objects:\n  - id: o\n" + rest);
  };
  const std::string ball = "    primitives: [{type: 2, dimensions: [1]}]\n";
  EXPECT_EQ(say_all(""), "s.yaml: the file is empty; give a scene");
  EXPECT_EQ(say_all("[1, 2]"), "s.yaml:1: expected a map, found a list; write {key: value, ...}");
  EXPECT_EQ(say_all("world: {\nobjects: []}"),
            "s.yaml:2: world: unknown key \"objects\"; known here are collision_objects, octomap");
  EXPECT_EQ(say_all("world: [\n}"), "s.yaml:2: illegal flow end; correct the YAML there");
  EXPECT_EQ(say_all("name: a\nname: b\n"), "s.yaml:2: \"name\" is given twice; keep one of them");
  EXPECT_EQ(say_all("world: {}\n---\nworld: {}\n"),
            "s.yaml:3: a second document in the file; keep one document a file");
  EXPECT_EQ(say_all("world: {}\n---\n"), "accepted");
  EXPECT_EQ(say("    primitives: [{type: 5, dimensions: [1]}]\n"),
            "s.yaml:4: world.collision_objects[0].primitives[0].type: unknown primitive type 5; "
            "known are box (1), sphere (2), cylinder (3), cone (4)");
  EXPECT_EQ(say("    primitives: [{type: cylinder, dimensions: [1]}]\n"),
            "s.yaml:4: world.collision_objects[0].primitives[0].dimensions: 1 sizes, but a "
            "cylinder has 2; give height, radius");
  EXPECT_EQ(say("    primitives: [{type: box, dimensions: [1, 1, -1]}]\n"),
            "s.yaml:4: world.collision_objects[0].primitives[0].dimensions[2]: -1 is negative; "
            "give a size >= 0");
  EXPECT_EQ(say(ball + "    primitive_poses: [{}, {}]\n"),
            "s.yaml:5: world.collision_objects[0].primitive_poses: 2 poses for 1 shapes; give one "
            "pose for each shape");
  EXPECT_EQ(say(ball + "    primitive_pose: [{}]\n").substr(0, 72),
            "s.yaml:5: world.collision_objects[0]: unknown key \"primitive_pose\"; know");
  EXPECT_EQ(
      say(ball + "  - id: o\n" + ball),
      "s.yaml:5: world.collision_objects[1].id: object \"o\" is given twice; give each object "
      "its own id");
  EXPECT_EQ(say("    operation: 3\n"),
            "s.yaml:4: world.collision_objects[0].operation: moving an object is not supported; "
            "write its final pose");
  EXPECT_EQ(say("    meshes: [{vertices: [[0, 0, 0]], triangles: [[0, 0, 1]]}]\n"),
            "s.yaml:4: world.collision_objects[0].meshes[0].triangles[0][2]: 1 is not the number "
            "of a vertex; give 0 to 1 - 1");
  EXPECT_EQ(say("    meshes: [{vertices: [[0, .nan, 0]], triangles: [[0, 0, 0]]}]\n"),
            "s.yaml:4: world.collision_objects[0].meshes[0].vertices[0][1]: \".nan\" is not a "
            "finite number; give a decimal number");
  EXPECT_TRUE(say("    meshes: [{resource: \"package://nowhere/a.stl\"}]\n    mesh_poses: [{}]\n")
                  .starts_with("s.yaml:4: world.collision_objects[0].meshes[0].resource: the file "
                               "\"package://nowhere/a.stl\" is not found"));
  EXPECT_EQ(say_all("robot_state: {joint_state: {name: [a], position: [1, 2]}}"),
            "s.yaml:1: robot_state.joint_state: 2 positions for 1 names; give one for each name");
  const std::string attached =
      "robot_state: {attached_collision_objects: [{link_name: hand, object: {id: cup, ";
  EXPECT_EQ(say_all(attached + "header: {frame_id: world}}}]}"),
            "s.yaml:1: robot_state.attached_collision_objects[0].object: poses in frame \"world\" "
            "of an object attached to \"hand\"; give its poses in the frame of the link that "
            "carries it");
  EXPECT_EQ(say_all(attached + "header: {frame_id: hand}}}]}"),
            "s.yaml:1: robot_state.attached_collision_objects[0].object: an attached object "
            "without shapes; give its shapes; taking up an object of the world is not supported");
  EXPECT_EQ(say_all("allowed_collision_matrix: {entry_names: [a, b], entry_values: [[true]]}"),
            "s.yaml:1: allowed_collision_matrix.entry_values: 1 rows for 2 names; give one row for "
            "each name");
  EXPECT_EQ(say_all("link_padding: [{link_name: a, padding: -1}]"),
            "s.yaml:1: link_padding[0].padding: -1 is negative; give a padding >= 0");
  EXPECT_EQ(say_all("link_scale: [{link_name: a, scale: 0}]"),
            "s.yaml:1: link_scale[0].scale: 0 is not a size; give a number > 0");
  EXPECT_EQ(say_all("fixed_frame_transforms: [{child_frame_id: w, transform: {translation: [1, 0, "
                    "0], rotation: [0, 0, 0, 1]}}]"),
            "s.yaml:1: fixed_frame_transforms[0]: the planning frame is moved against itself; give "
            "the header's frame_id");
}

TEST(PlanningScene, YamlCannotExhaustTheMachine) {
  const TemporaryFolder folder;
  EXPECT_NE(message_of(folder.write("s.yaml", std::string(100'000, '['))), "accepted");
  std::string laughs = "world: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string last = "*a" + std::to_string(i - 1);
    laughs += "k" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int k = 0; k < 10; ++k) laughs += (k > 0 ? ", " : "") + last;
    laughs += "]\n";
  }
  EXPECT_NE(message_of(folder.write("s.yaml", laughs)).find("more than 10 million values"),
            std::string::npos);
}

TEST(SceneText, ReadsTheOldAndTheNewForm) {
  const TemporaryFolder folder;
  const auto old_form =
      load(folder, "old.scene",
           "pillar\n* pillar\n1\nbox\n0.2 0.2 1\n0.6 0.15 0\n0 0 0 1\n0 0 0 0\n.\n");
  EXPECT_EQ(old_form->name, "pillar");
  ASSERT_EQ(old_form->objects.size(), 1u);
  expect_pose(old_form->objects[0].geometries.at(0), pose(0.6, 0.15, 0, 0, 0, 0, 1));

  const auto scene = load(folder, "new.scene", R"((noname)+
* the first object
1 0 0
0 0 0.6 0.8
5
sphere
0.5
0 0 0
0 0 0 1
0 0 0 0
cylinder
0.25 2
0 1 0
0.6 0 0 0.8
0 0 0 0
cone
0.5 2
0 0 0
0 0 0 1
0 0 0 0
plane
0 0 1 -0.5
0 0 0
0 0 0 1
0 0 0 0
mesh
4 4
0 0 0
1 0 0
0 1 0
0 0 1
0 2 1
0 1 3
1 2 3
2 0 3
0 0 0
0 0 0 1
0 0 0 0
1
grip
0 0 0
0 0 0 1
* empty
0 0 0
0 0 0 1
0
0
.
)");
  ASSERT_EQ(scene->objects.size(), 2u);
  EXPECT_EQ(scene->objects[0].name, "the first object");
  const auto& shapes = scene->objects[0].geometries;
  ASSERT_EQ(shapes.size(), 5u);
  EXPECT_EQ(std::get<Sphere>(shapes[0].geometry->primitive()).radius, 0.5);
  EXPECT_EQ(std::get<Cylinder>(shapes[1].geometry->primitive()).length, 2.0);
  expect_pose(shapes[1], pose(1, 0, 0, 0, 0, 0.6, 0.8) * pose(0, 1, 0, 0.6, 0, 0, 0.8));
  EXPECT_EQ(std::get<HalfSpace>(shapes[3].geometry->primitive()).offset, 0.5);
  EXPECT_TRUE(shapes[4].geometry->is_solid());
}

TEST(SceneText, SaysWhatIsWrong) {
  const TemporaryFolder folder;
  const auto say = [&](const std::string& text) {
    return message_of(folder.write("s.scene", text));
  };
  EXPECT_EQ(say("name\n"),
            "s.scene:2: marker: the file ends here; end it with a line that holds "
            "only \".\"");
  EXPECT_EQ(say("name\n.\n"), "accepted");
  EXPECT_EQ(say("name\n- a\n"),
            "s.scene:2: marker: \"-\" is neither \"*\" nor \".\"; an object "
            "starts with \"* id\", and \".\" ends the file");
  EXPECT_EQ(say("name\n* a\n1\ntorus\n"),
            "s.scene:4: object \"a\" shape 0: unknown shape \"torus\"; known are box, sphere, "
            "cylinder, cone, plane, mesh");
  EXPECT_EQ(say("name\n* a\n1\nsphere\n-1\n"),
            "s.scene:5: object \"a\" shape 0: -1 is negative; give a size >= 0");
  EXPECT_EQ(say("name\n* a\n1\nsphere\none\n"),
            "s.scene:5: object \"a\" shape 0: \"one\" is not a finite number; give a number");
  EXPECT_EQ(say("name\n* a\n1e9\n"),
            "s.scene:3: object \"a\" number of shapes: 1e+09 is not a count that this file can "
            "hold; correct the count");
  EXPECT_EQ(say("n\n* a\n0\n* a\n0\n.\n"),
            "s.scene:4: * id: object \"a\" is given twice; give each object its own id");
  EXPECT_EQ(say("n\n* a\n1\nmesh 1 1 0 0 0 0 0 1\n"),
            "s.scene:4: object \"a\" shape 0: 1 is not the number of a vertex; give 0 to 1 - 1");
  EXPECT_EQ(say("n\n* a\n1\nbox\n1 1 1\n0 0 0\n0 0 0 0\n0 0 0 0\n.\n"),
            "s.scene:7: object \"a\" shape 0 quaternion: a quaternion of length 0 is no rotation; "
            "give x, y, z, w of a unit quaternion");
}

TEST(Clouds, ReadAsciiBinaryAndSkipNonNumbers) {
  const TemporaryFolder folder;
  const std::string head =
      "# .PCD v0.7\nVERSION 0.7\nFIELDS i x y z\nSIZE 2 4 4 8\nTYPE U F F F\nCOUNT 2 1 1 1\n"
      "WIDTH 3\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS 3\nDATA ";
  const auto ascii =
      load(folder, "a.pcd", head + "ascii\n7 7 0.5 1 2\n7 7 nan nan nan\n7 7 -1e-3 0 0\n");
  const Geometry& cloud = *ascii->objects.at(0).geometries.at(0).geometry;
  ASSERT_EQ(cloud.centers().size(), 2u);
  EXPECT_EQ(cloud.centers()[1], Vector3d(-1e-3, 0, 0));
  EXPECT_EQ(cloud.radius(), 0.01);
  EXPECT_EQ(ascii->objects[0].name, "a");
  ASSERT_EQ(ascii->warnings.size(), 1u);
  EXPECT_NE(ascii->warnings[0].find("1 of 3 points are not finite"), std::string::npos);

  std::string bytes;
  for (int i = 0; i < 3; ++i) {
    const std::uint16_t n[2] = {1, 2};
    const float xy[2] = {0.5F + static_cast<float>(i), 0.25F};
    const double z = 0.1;
    bytes.append(reinterpret_cast<const char*>(n), 4);
    bytes.append(reinterpret_cast<const char*>(xy), 8);
    bytes.append(reinterpret_cast<const char*>(&z), 8);
  }
  const auto binary = load(folder, "b.pcd", head + "binary\n" + bytes);
  EXPECT_EQ(binary->objects[0].geometries[0].geometry->centers()[2], Vector3d(2.5, 0.25, 0.1));

  const std::string ply =
      "ply\nformat ascii 1.0\ncomment x\nelement vertex 2\nproperty uchar c\nproperty float "
      "x\nproperty double y\nproperty float z\nend_header\n1 0.5 1 2\n2 3 4 5\n";
  const auto points = load(folder, "p.ply", ply);
  EXPECT_EQ(points->objects[0].geometries[0].geometry->centers()[1], Vector3d(3, 4, 5));
  std::string big = ply.substr(0, ply.find("1 0.5"));
  big.replace(big.find("ascii"), 5, "binary_big_endian");
  for (int i = 0; i < 2; ++i) {
    big.push_back('\1');
    big += std::string("\x3f\x00\x00\x00", 4);                  // 0.5
    big += std::string("\x40\x00\x00\x00\x00\x00\x00\x00", 8);  // 2
    big += std::string("\xbf\x80\x00\x00", 4);                  // -1
  }
  EXPECT_EQ(load(folder, "q.ply", big)->objects[0].geometries[0].geometry->centers()[1],
            Vector3d(0.5, 2, -1));
}

TEST(Clouds, SayWhatIsWrong) {
  const TemporaryFolder folder;
  const std::string head =
      "VERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nWIDTH 2\nHEIGHT 1\n";
  const auto say = [&](const std::string& text) { return message_of(folder.write("c.pcd", text)); };
  EXPECT_EQ(say(head + "POINTS 3\nDATA ascii\n"),
            "c.pcd:9: POINTS: 3 is not WIDTH times HEIGHT; correct the header");
  EXPECT_EQ(say(head + "POINTS 2\nDATA ascii\n0 0 0\n"),
            "c.pcd:10: DATA: the file ends after 1 of 2 points; save the cloud again");
  EXPECT_EQ(say(head + "POINTS 2\nDATA ascii\n0 0\n0 0 0\n"),
            "c.pcd:10: point: 2 values where 3 are needed; correct the line");
  EXPECT_EQ(say(head + "POINTS 2\nDATA ascii\nnan nan nan\nnan 0 0\n"),
            "c.pcd: none of the 2 points is finite; give a cloud with points");
  EXPECT_EQ(say(head + "POINTS 2\nDATA binary\nshort"),
            "c.pcd:9: DATA: 2 points need 24 bytes, but 5 are there; save the cloud again");
  EXPECT_EQ(say(head + "POINTS 2\nDATA zip\n"),
            "c.pcd:9: DATA: unknown kind \"zip\"; known are ascii, binary, binary_compressed");
  EXPECT_EQ(say(head + "POINTS 2\nDATA binary_compressed\n12345678"),
            "c.pcd:9: DATA: the compressed part does not hold what the header announces; save the "
            "cloud again");
  EXPECT_EQ(say("FIELDS x y\nSIZE 4 4\nTYPE F F\nCOUNT 1 1\nPOINTS 1\nDATA ascii\n0 0\n"),
            "c.pcd:6: FIELDS: no field \"z\"; save x, y and z");
  EXPECT_EQ(say("FIELDS x y z\nSIZE 4 4\n"),
            "c.pcd:2: SIZE: 2 entries for 3 fields; give one for each field, after FIELDS");
  EXPECT_EQ(message_of(folder.write("p.ply",
                                    "ply\nformat ascii 1.0\nelement vertex 2\nproperty "
                                    "float x\nproperty float y\nend_header\n0 0\n0 0\n")),
            "p.ply:6: element vertex: no property \"z\"; save x, y and z");
  EXPECT_EQ(message_of(folder.write("c.pcd", head), {.packages = {}, .cloud_radius = 0.0}),
            "c.pcd: cloud radius: 0 is not a size; give a number > 0");
}

TEST(Octomaps, AreTheOccupiedLeaves) {
  CATENA_REQUIRE_DATA("data/scenes/octomap/geb079.bt");
  const std::string path = (test::data_root() / "data/scenes/octomap/geb079.bt").string();
  const auto scene = load_scene(path);
  ASSERT_EQ(scene->objects.size(), 1u);
  EXPECT_EQ(scene->objects[0].name, "geb079");
  const Geometry& map = *scene->objects[0].geometries.at(0).geometry;
#ifdef CATENA_HAVE_OCTOMAP
  // The oracle: octomap's own reader and iterator.
  octomap::OcTree tree(path);
  std::size_t occupied = 0;
  for (auto leaf = tree.begin_leafs(); leaf != tree.end_leafs(); ++leaf) {
    occupied += tree.isNodeOccupied(*leaf);
  }
  ASSERT_EQ(map.boxes().size(), occupied);
  for (const auto& box : map.boxes()) {
    const auto* node = tree.search(box.center.x(), box.center.y(), box.center.z());
    ASSERT_NE(node, nullptr);
    ASSERT_TRUE(tree.isNodeOccupied(node));
  }
  double volume = 0.0, expected = 0.0;
  for (const auto& box : map.boxes()) volume += 8.0 * box.half.prod();
  for (auto leaf = tree.begin_leafs(); leaf != tree.end_leafs(); ++leaf) {
    if (tree.isNodeOccupied(*leaf)) expected += std::pow(leaf.getSize(), 3);
  }
  EXPECT_NEAR(volume, expected, 1e-9 * expected);
#else
  EXPECT_GT(map.boxes().size(), 100'000u);
#endif
}

#ifdef CATENA_HAVE_OCTOMAP
// Property: a random map that octomap writes, in both of its forms, gives octomap's occupied
// leaves.
TEST(Octomaps, AgreeWithTheLibraryInBothForms) {
  const TemporaryFolder folder;
  std::mt19937 rng(29);
  std::uniform_real_distribution<double> place(-3.0, 3.0);
  for (int trial = 0; trial < 5; ++trial) {
    octomap::OcTree tree(0.05);
    for (int i = 0; i < 300; ++i) {
      const octomap::point3d p(static_cast<float>(place(rng)), static_cast<float>(place(rng)),
                               static_cast<float>(place(rng)));
      tree.updateNode(p, rng() % 3 != 0);
    }
    tree.updateInnerOccupancy();
    const std::string full = (folder.path() / "m.ot").string();
    const std::string binary = (folder.path() / "m.bt").string();
    ASSERT_TRUE(tree.write(full));
    ASSERT_TRUE(tree.writeBinary(binary));
    std::size_t occupied = 0;
    for (auto leaf = tree.begin_leafs(); leaf != tree.end_leafs(); ++leaf) {
      occupied += tree.isNodeOccupied(*leaf);
    }
    for (const std::string& path : {full, binary}) {
      const auto scene = load_scene(path);
      const auto boxes = scene->objects.at(0).geometries.at(0).geometry->boxes();
      double volume = 0.0;
      for (const auto& box : boxes) {
        volume += 8.0 * box.half.prod();
        const auto* node = tree.search(box.center.x(), box.center.y(), box.center.z());
        ASSERT_TRUE(node != nullptr && tree.isNodeOccupied(node)) << "seed 29 trial " << trial;
      }
      double expected = 0.0;
      for (auto leaf = tree.begin_leafs(); leaf != tree.end_leafs(); ++leaf) {
        if (tree.isNodeOccupied(*leaf)) expected += std::pow(leaf.getSize(), 3);
      }
      EXPECT_NEAR(volume, expected, 1e-9 * expected);
    }
  }
}
#endif

TEST(Octomaps, SayWhatIsWrong) {
  const TemporaryFolder folder;
  const auto say = [&](const std::string& text) { return message_of(folder.write("m.bt", text)); };
  const std::string head = "# Octomap OcTree binary file\nid OcTree\nres 0.1\nsize ";
  EXPECT_EQ(say("# Octomap old"),
            "m.bt:1: header: not an octomap file, or one of an old version; "
            "convert it with octomap's convert_octree");
  EXPECT_EQ(say(head + "2\n"), "m.bt:5: header: no \"data\" line; save the map again");
  EXPECT_EQ(say(head + "2\ndata\n\xFF"),
            "m.bt: data: the data ends within the tree; save the map "
            "again");
  EXPECT_EQ(say(head + "2\ndata\n" + std::string("\x02\x00", 2)), "accepted");
  EXPECT_EQ(say(head + "9\ndata\n" + std::string("\x02\x00", 2)),
            "m.bt: data: the header announces 9 nodes, but the tree has 2; save the map again");
  EXPECT_EQ(say(head + "2\ndata\n" + std::string("\x02\x00zz", 4)),
            "m.bt: data: the data goes on after the last node; save the map again");
  EXPECT_EQ(say(head + "2\ndata\n" + std::string(40, '\x03')),
            "m.bt: data: the tree is deeper than 16 levels; save the map again");
  EXPECT_EQ(say("# Octomap OcTree binary file\nid SomeTree\nres 0.1\nsize 2\ndata\n"),
            "m.bt:5: header: unknown octree type \"SomeTree\"; known are OcTree and ColorOcTree");
  EXPECT_EQ(say("# Octomap OcTree binary file\nid OcTree\nres -1\nsize 2\ndata\n"),
            "m.bt:5: header: no positive \"res\"; give the size of a cell in metres");
}

TEST(BareFiles, AreNamedByTheFileOrTheLinks) {
  const TemporaryFolder folder;
  const auto mesh = load(folder, "a cup.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  EXPECT_EQ(mesh->objects.at(0).name, "a cup");
  const auto surface = load(folder, "s.ply",
                            "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty "
                            "float y\nproperty float z\nelement face 1\nproperty list uchar int "
                            "vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n");
  EXPECT_EQ(surface->objects.at(0).geometries.at(0).geometry->kind(), Geometry::Kind::kMesh);

  const auto scene = load(folder, "house.urdf", R"(<robot name="house">
<link name="wall"><collision><origin xyz="1 0 0"/><geometry><box size="1 1 1"/></geometry></collision></link>
<link name="door"><collision><geometry><sphere radius="1"/></geometry></collision></link>
<link name="knob"><collision><geometry><sphere radius="1"/></geometry></collision></link>
<joint name="hinge" type="revolute"><parent link="wall"/><child link="door"/><origin xyz="0 2 0"/>
 <axis xyz="0 0 1"/><limit lower="0.5" upper="1" effort="1" velocity="1"/></joint>
<joint name="slide" type="prismatic"><parent link="door"/><child link="knob"/><axis xyz="3 0 0"/>
 <limit lower="-2" upper="-1" effort="1" velocity="1"/></joint>
</robot>)");
  ASSERT_EQ(scene->objects.size(), 3u);
  std::map<std::string, const SceneObject*> by_name;
  for (const SceneObject& object : scene->objects) by_name[object.name] = &object;
  expect_pose(by_name.at("wall")->geometries[0], pose(1, 0, 0, 0, 0, 0, 1));
  // The joints stand at 0 clamped into their limits: 0.5 rad and -1 m along the door's x axis.
  const Eigen::Isometry3d X_WD =
      Eigen::Translation3d(0, 2, 0) * Eigen::AngleAxisd(0.5, Vector3d::UnitZ());
  expect_pose(by_name.at("door")->geometries[0], X_WD);
  expect_pose(by_name.at("knob")->geometries[0], X_WD * Eigen::Translation3d(-1, 0, 0));
}

TEST(SceneFile, IsRecognisedByItsContentToo) {
  const TemporaryFolder folder;
  EXPECT_EQ(load(folder, "a.txt", "{\"objects\": []}")->objects.size(), 0u);
  EXPECT_EQ(load(folder, "b", "n\n* a\n1\nsphere 1 0 0 0 0 0 0 1 0 0 0 0 .\n")->objects.size(), 1u);
  EXPECT_EQ(load(folder, "c", "objects: [{id: a, shape: sphere, radius: 1}]")->objects.size(), 1u);
  EXPECT_EQ(message_of(folder.write("d", " \n")), "d: the file is empty; give a scene");
}

TEST(SceneFile, ReadsEveryFileOfTheData) {
  CATENA_REQUIRE_DATA("data/scenes");
  const auto root = test::data_root() / "data/scenes";
  const std::map<std::string, std::size_t> objects = {{"bookshelf_small", 7},
                                                      {"bookshelf_tall", 15},
                                                      {"bookshelf_thin", 21},
                                                      {"box", 7},
                                                      {"cage", 8},
                                                      {"table_pick", 12},
                                                      {"table_under_pick", 12}};
  int problems = 0;
  for (const char* robot : {"panda", "fetch", "ur5"}) {
    for (const auto& [kind, count] : objects) {
      const auto folder = root / "mbm" / robot / (kind + "_" + robot);
      for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        const std::string path = entry.path().string();
        if (entry.path().filename().string().starts_with("request")) {
          const RequestFile request = load_request(path);
          EXPECT_GE(request.goal.size(), 6u) << path;
          EXPECT_GT(request.start.size(), request.goal.size()) << path;
          continue;
        }
        ++problems;
        const auto scene = load_scene(path);
        EXPECT_EQ(scene->objects.size(), count) << path;
        EXPECT_TRUE(scene->warnings.empty()) << path << ": " << scene->warnings[0];
        EXPECT_FALSE(scene->allowed.empty()) << path;
        EXPECT_FALSE(scene->robot_state.empty()) << path;
      }
    }
  }
  EXPECT_EQ(problems, 7 * (10 + 3 + 3));

  const std::vector<std::pair<std::string, std::size_t>> others = {
      {"robowflex/fetch_scenes/scene_vicon0001.yaml", 7},
      {"robowflex/fetch_scenes/scene_vicon0002.yaml", 7},
      {"robowflex/fetch_scenes/scene_vicon0003.yaml", 7},
      {"robowflex/fetch_scenes/scene_vicon0004.yaml", 7},
      {"robowflex/fetch_scenes/scene_vicon0005.yaml", 7},
      {"robowflex/fetch_scenes/scene_vicon0006.yaml", 7},  // its octomap has free cells only
      {"mbm_configs/box/scene_box.yaml", 7},
      {"mbm_configs/cage/scene_cage.yaml", 8},
      {"mbm_configs/bookshelf/scene_small.yaml", 7},
      {"moveit/baxter_pillar.scene", 1},
      {"octomap/geb079.bt", 1}};
  for (const auto& [name, count] : others) {
    EXPECT_EQ(load_scene((root / name).string())->objects.size(), count) << name;
  }
  for (int i = 1; i <= 6; ++i) {
    const std::string name = "robowflex/fetch_scenes/request000" + std::to_string(i) + ".yaml";
    EXPECT_EQ(load_request((root / name).string()).group_name, "arm_with_torso");
  }
  for (const auto& [name, points] : std::vector<std::pair<std::string, std::size_t>>{
           {"bun0", 397},
           {"lamppost", 1771},
           {"milk", 13704},
           {"sac_plane_test", 3283},
           {"table_scene_mug_stereo_textured", 209280}}) {
    const auto scene = load_scene((root / "clouds" / (name + ".pcd")).string());
    EXPECT_EQ(scene->objects.at(0).geometries.at(0).geometry->centers().size(), points) << name;
  }

  // Their meshes are not among the data: the message says which, and how to give the folder.
  for (const char* name : {"robowflex/test.yml", "robowflex/test_fetch.yml",
                           "robowflex/test_fetch_wall.yml", "mbm_configs/kitchen/kitchen.yaml"}) {
    const std::string said = message_of((root / name).string());
    EXPECT_NE(said.find(".meshes[0].resource: the file \"package://"), std::string::npos) << said;
    EXPECT_NE(said.find("--package "), std::string::npos) << said;
  }
  for (const char* name :
       {"mbm_configs/box/variation_box.yaml", "mbm_configs/cage/variation_cage.yaml"}) {
    EXPECT_NE(message_of((root / name).string()).find("expected a map, found a list"),
              std::string::npos);
  }

  // kitchen.urdf names its meshes by a package, which the user maps.
  const TemporaryFolder package;
  std::filesystem::create_directories(package.path() / "configs/scenes");
  std::filesystem::create_directory_symlink(root / "mbm_configs/kitchen",
                                            package.path() / "configs/scenes/kitchen");
  SceneOptions options;
  options.packages["motion_bench_maker"] = package.path().string();
  EXPECT_EQ(
      load_scene((root / "mbm_configs/kitchen/kitchen.urdf").string(), options)->objects.size(),
      5u);
}

TEST(SceneFile, ReadsEveryCase) {
  CATENA_REQUIRE_DATA("cases");
  int scenes = 0;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(test::data_root() / "cases")) {
    if (!entry.path().filename().string().starts_with("scene")) continue;
    ++scenes;
    EXPECT_TRUE(load_scene(entry.path().string())->warnings.empty()) << entry.path();
  }
  EXPECT_GE(scenes, 20);
}

TEST(RequestFile, SaysWhatIsWrong) {
  const TemporaryFolder folder;
  const auto say = [&](const std::string& text) {
    const std::string path = folder.write("r.yaml", text);
    try {
      (void)load_request(path);
      return std::string("accepted");
    } catch (const InputError& error) {
      return std::string(error.what()).substr(path.size() - 6);
    }
  };
  const std::string goal =
      "goal_constraints: [{joint_constraints: [{joint_name: a, position: 1}]}]\n";
  EXPECT_EQ(say("group_name: arm\n" + goal), "accepted");
  EXPECT_EQ(say(goal), "r.yaml:1: \"group_name\" is missing; add it");
  EXPECT_EQ(say("group_name: arm\n"), "r.yaml:1: \"goal_constraints\" is missing; add it");
  EXPECT_EQ(say("group_name: arm\ngoal_constraints: []\n"),
            "r.yaml:2: goal_constraints: no goal; give joint_constraints");
  EXPECT_EQ(say("group_name: arm\ngoal_constraints: [{position_constraints: [{}]}]\n"),
            "r.yaml:2: goal_constraints[0].position_constraints: only joint constraints of a goal "
            "are supported; give the goal as joint values and remove this");
  EXPECT_EQ(
      say("group_name: arm\n" + goal +
          "path_constraints: {name: '', joint_constraints: [], orientation_constraints: [{}]}\n"),
      "r.yaml:3: path_constraints: only joint constraints of a goal are supported; give the "
      "goal as joint values and remove this");
  EXPECT_EQ(
      say("group_name: arm\n" + goal + "path_constraints: {name: '', joint_constraints: []}\n"),
      "accepted");
}

// Property: a shell that faces inward is warned of where it may cross one that faces outward, not
// where it is a cavity and not where the two are apart.
TEST(SceneFile, WarnsOfShellsThatCancel) {
  const TemporaryFolder folder;
  const auto two_cubes = [&](double center, double half, bool inward) {
    std::string text;
    for (const auto& [c, h] : {std::pair(0.0, 1.0), std::pair(center, half)}) {
      for (int k = 0; k < 8; ++k) {
        text += "v";
        for (int axis = 0; axis < 3; ++axis) {
          text += ' ' + std::to_string(c + (k >> axis & 1 ? h : -h));
        }
        text += '\n';
      }
    }
    const int faces[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                             {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    for (int cube = 0; cube < 2; ++cube) {
      for (const auto& face : faces) {
        text += "f";
        for (int k = 0; k < 4; ++k) {
          text += ' ' + std::to_string(8 * cube + 1 + face[cube == 1 && inward ? 3 - k : k]);
        }
        text += '\n';
      }
    }
    return load_scene(folder.write("two.obj", text));
  };
  ASSERT_TRUE(two_cubes(1.0, 0.5, true)->objects[0].geometries[0].geometry->is_solid());
  ASSERT_EQ(two_cubes(1.0, 0.5, true)->warnings.size(), 1u);
  EXPECT_NE(two_cubes(1.0, 0.5, true)->warnings[0].find("1 of the mesh's 2 closed shells"),
            std::string::npos);
  EXPECT_TRUE(two_cubes(1.0, 0.5, false)->warnings.empty());
  EXPECT_TRUE(two_cubes(0.0, 0.5, true)->warnings.empty());
  EXPECT_TRUE(two_cubes(9.0, 0.5, true)->warnings.empty());
}

// Property: every scene form takes a size of 0, as a URDF does, and warns of it.
TEST(SceneFile, WarnsOfSizesOfZero) {
  const TemporaryFolder folder;
  const std::string paths[] = {
      folder.write("a.json", R"({"objects": [{"id": "o", "shape": "sphere", "radius": 0}]})"),
      folder.write("b.json",
                   R"({"objects": [{"id": "o", "shape": "capsule", "radius": 0, "length": 1}]})"),
      folder.write("c.yaml",
                   "world:\n  collision_objects:\n  - id: o\n    pose: {}\n    primitives: "
                   "[{type: cylinder, dimensions: [1, 0]}]\n"),
      folder.write("d.scene", "n\n* o\n1\nsphere\n0\n0 0 0\n0 0 0 1\n0 0 0 0\n.\n")};
  for (const std::string& path : paths) {
    const auto scene = load_scene(path);
    ASSERT_EQ(scene->warnings.size(), 1u) << path;
    EXPECT_NE(scene->warnings[0].find("a size of 0"), std::string::npos) << scene->warnings[0];
    EXPECT_EQ(scene->objects.size(), 1u);
  }
}

// Property: whatever becomes of a file, it loads or is refused by an InputError; nothing else.
TEST(SceneFile, SurvivesDamage) {
  const TemporaryFolder folder;
  const std::map<std::string, std::string> seeds = {
      {"a.json",
       object_text(
           R"("shape": "box", "size": [1, 2, 3], "pose": {"xyz": [1, 2, 3], "quat_xyzw": [0, 0, 0, 1]})")},
      {"b.yaml",
       "world:\n  collision_objects:\n    - id: a\n      header: {frame_id: base}\n      "
       "primitives:\n        - type: box\n          dimensions: [1, 2, 3]\n      "
       "primitive_poses:\n        - position: [1, 2, 3]\n          orientation: [0, 0, 0, "
       "1]\n  octomap: {octomap: {resolution: 0.1, binary: true, data: [2, 0]}}\n"
       "allowed_collision_matrix: {entry_names: [a], entry_values: [[true]]}\n"},
      {"c.scene", "n\n* a\n1\nmesh\n3 1\n0 0 0 1 0 0 0 1 0\n0 1 2\n0 0 0\n0 0 0 1\n0 0 0 0\n.\n"},
      {"d.bt", std::string("# Octomap OcTree binary file\nid OcTree\nres 0.1\nsize 4\ndata\n") +
                   std::string("\x03\x00\x02\x80", 4)},
      {"e.ot", std::string("# Octomap OcTree file\nid OcTree\nres 0.1\nsize 2\ndata\n") +
                   std::string("\x00\x00\x00\x3f\x01\x00\x00\x00\x3f\x00", 10)},
      {"f.pcd",
       "VERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nWIDTH 1\nHEIGHT "
       "1\nPOINTS 1\nDATA ascii\n0 0 0\n"},
      {"g.pcd",
       std::string("VERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nWIDTH "
                   "2\nHEIGHT 1\nPOINTS 2\nDATA binary_compressed\n") +
           std::string("\x07\x00\x00\x00\x18\x00\x00\x00\x03\x00\x00\x00\x00\xe0\x0b\x03", 16)},
      {"h.ply",
       std::string("ply\nformat binary_little_endian 1.0\nelement vertex 1\nproperty float "
                   "x\nproperty float y\nproperty float z\nend_header\n") +
           std::string(12, '\0')},
  };
  std::mt19937 rng(13);
  for (const auto& [name, text] : seeds) {
    if (name != "g.pcd") {
      EXPECT_EQ(message_of(folder.write(name, text)), "accepted") << name;
    }
    for (int trial = 0; trial < 400; ++trial) {
      const std::string damaged = test::damaged(text, rng);
      SCOPED_TRACE(name + " seed 13 trial " + std::to_string(trial));
      (void)message_of(folder.write(name, damaged));
    }
  }
}

}  // namespace
}  // namespace catena::io
