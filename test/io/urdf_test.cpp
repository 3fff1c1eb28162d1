// The URDF reader: every rule, with the text of its message; shapes, joints, numbers, mesh paths.

#include "catena/io/urdf.hpp"

#include <algorithm>
#include <clocale>
#include <cmath>
#include <locale>
#include <random>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "catena/io/input_error.hpp"
#include "support/damage.hpp"
#include "support/temporary_folder.hpp"

namespace catena::io {
namespace {

using test::ScopedVariable;
using test::TemporaryFolder;

constexpr const char* kTetrahedron =
    "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";

std::string robot_text(const std::string& inside) {
  return "<?xml version=\"1.0\"?>\n<robot name=\"r\">\n" + inside + "\n</robot>\n";
}

/// A link "base" with one collision shape.
std::string shape_text(const std::string& shape, const std::string& origin = "") {
  return robot_text("<link name=\"base\"><collision>" + origin + "<geometry>" + shape +
                    "</geometry></collision></link>");
}

/// Links "base" and "tip", and a joint "j" of the given attributes and content.
std::string joint_text(const std::string& type, const std::string& content) {
  return robot_text("<link name=\"base\"/>\n<link name=\"tip\"/>\n<joint name=\"j\" type=\"" +
                    type + "\">\n<parent link=\"base\"/><child link=\"tip\"/>\n" + content +
                    "\n</joint>");
}

std::shared_ptr<const Robot> parse(const std::string& text, const UrdfOptions& options = {}) {
  return parse_urdf(text, "r.urdf", options);
}

const Geometry& only_shape(const Robot& robot) {
  return *robot.bodies()[0].geometries.at(0).geometry;
}

struct Refusal {
  std::string text;
  std::string message;
};

void expect_refusals(const std::vector<Refusal>& refusals) {
  for (const Refusal& refusal : refusals) {
    try {
      (void)parse(refusal.text);
      ADD_FAILURE() << "accepted, but should say: " << refusal.message << "\n" << refusal.text;
    } catch (const InputError& error) {
      EXPECT_EQ(error.what(), refusal.message);
      EXPECT_EQ(error.file(), "r.urdf");
    }
  }
}

// ---- shapes

TEST(Urdf, ReadsEveryShape) {
  EXPECT_EQ(
      std::get<Sphere>(only_shape(*parse(shape_text("<sphere radius=\"0.25\"/>"))).primitive())
          .radius,
      0.25);
  const auto box = parse(shape_text("<box size=\" 1 \t2e0\n +3 \"/>"));
  EXPECT_EQ(std::get<Box>(only_shape(*box).primitive()).size, Vector3d(1, 2, 3));
  const auto cylinder = parse(shape_text("<cylinder length=\"2\" radius=\".5\"/>"));
  EXPECT_EQ(std::get<Cylinder>(only_shape(*cylinder).primitive()).radius, 0.5);
  EXPECT_EQ(std::get<Cylinder>(only_shape(*cylinder).primitive()).length, 2.0);
  const auto capsule = parse(shape_text("<capsule length=\"2.\" radius=\"5e-1\"/>"));
  EXPECT_EQ(std::get<Capsule>(only_shape(*capsule).primitive()).radius, 0.5);
  EXPECT_EQ(std::get<Capsule>(only_shape(*capsule).primitive()).length, 2.0);
  const auto cone = parse(shape_text("<cone length=\"2\" radius=\"0.5\"/>"));
  EXPECT_EQ(std::get<Cone>(only_shape(*cone).primitive()).length, 2.0);
}

TEST(Urdf, ReadsSeveralCollisionElementsAndLinksWithout) {
  const auto robot = parse(robot_text(
      "<link name=\"base\"><visual/><collision><geometry><sphere "
      "radius=\"1\"/></geometry></collision>"
      "<collision name=\"second\"><origin xyz=\"0 0 2\"/><geometry><sphere "
      "radius=\"2\"/></geometry>"
      "</collision></link><link name=\"tip\"/>"
      "<joint name=\"j\" type=\"fixed\"><parent link=\"base\"/><child link=\"tip\"/></joint>"));
  ASSERT_EQ(robot->bodies().size(), 2u);
  ASSERT_EQ(robot->bodies()[0].geometries.size(), 2u);
  EXPECT_EQ(robot->bodies()[0].geometries[1].X_FG.X.p, Vector3d(0, 0, 2));
  EXPECT_TRUE(robot->bodies()[1].geometries.empty());
  EXPECT_TRUE(robot->list_checked_pairs().empty());
}

TEST(Urdf, RefusesShapesThatItCannotRead) {
  const std::string at = "r.urdf:3: <link name=\"base\"> ";
  expect_refusals({
      {shape_text("<sphere/>"),
       at + "<sphere>: attribute radius is missing; write radius=\"...\" in metres"},
      {shape_text("<sphere radius=\"abc\"/>"),
       at + "<sphere>: radius: \"abc\" is not a finite number; write decimal numbers with a point, "
            "separated by blanks"},
      {shape_text("<sphere radius=\"-0.02\"/>"),
       at + "<sphere>: radius: -0.02 is negative; give a radius >= 0"},
      {shape_text("<sphere radius=\"nan\"/>"),
       at + "<sphere>: radius: \"nan\" is not a finite number; write decimal numbers with a point, "
            "separated by blanks"},
      {shape_text("<sphere radius=\"0,5\"/>"),
       at + "<sphere>: radius: \"0,5\" is not a finite number; write decimal numbers with a point, "
            "separated by blanks"},
      {shape_text("<sphere radius=\"1e999\"/>"),
       at + "<sphere>: radius: \"1e999\" is not a finite number; write decimal numbers with a "
            "point, separated by blanks"},
      {shape_text("<sphere radius=\"1 2\"/>"),
       at + "<sphere>: radius=\"1 2\" has 2 numbers; give 1"},
      {shape_text("<box/>"), at + "<box>: attribute size is missing; write size=\"x y z\""},
      {shape_text("<box size=\"1 2\"/>"), at + "<box>: size=\"1 2\" has 2 numbers; give 3"},
      {shape_text("<box size=\"1 2 3 4\"/>"), at + "<box>: size=\"1 2 3 4\" has 4 numbers; give 3"},
      {shape_text("<box size=\"1 -2 3\"/>"), at + "<box>: size: -2 is negative; give a size >= 0"},
      {shape_text("<box size=\"1 2 3m\"/>"),
       at + "<box>: size: \"3m\" is not a finite number; write decimal numbers with a point, "
            "separated by blanks"},
      {shape_text("<cylinder radius=\"1\"/>"),
       at + "<cylinder>: attribute length is missing; write length=\"...\" in metres"},
      {shape_text("<capsule radius=\"1\" length=\"\"/>"),
       at + "<capsule>: length=\"\" has 0 numbers; give 1"},
      {shape_text("<torus/>"), at + "<torus>: shape \"torus\" is not known; use box, cylinder, "
                                    "capsule, cone, sphere or mesh"},
      {shape_text(""),
       at + "<geometry>: is empty; put a shape in it, or remove the collision element"},
      {shape_text("<sphere radius=\"1\"/><sphere radius=\"2\"/>"),
       at + "<sphere>: a second shape in one <geometry>; give every shape a <collision> element of "
            "its own"},
      {robot_text("<link name=\"base\"><collision/></link>"),
       at + "<collision>: has no <geometry>; add one, or remove the element"},
      {shape_text("<sphere radius=\"1\" radius=\"2\"/>"),
       "r.urdf:3: an attribute is not of the form name=\"value\", or is given twice; xmllint "
       "--noout FILE shows the place"},
      {shape_text("<mesh/>"), at + "<mesh>: attribute filename is missing; write filename=\"...\""},
      {shape_text("<mesh filename=\" \"/>"),
       at + "<mesh>: attribute filename is empty; give it a value"},
      {shape_text("<mesh filename=\"a.stl\" scale=\"0.001\"/>"),
       at + "<mesh>: scale=\"0.001\" has 1 number; give 3"},
      {shape_text("<mesh filename=\"a.stl\" scale=\"1 0 1\"/>"),
       at + "<mesh>: a factor of scale is zero; give factors that are not zero"},
  });
}

// ---- origins

TEST(Urdf, ReadsOriginsOfBothVersions) {
  const auto rpy =
      parse(shape_text("<sphere radius=\"1\"/>", "<origin xyz=\"1 2 3\" rpy=\"0.1 -0.2 0.3\"/>"));
  const RigidTransform& X = rpy->bodies()[0].geometries[0].X_FG.X;
  // Rz(0.3) Ry(-0.2) Rx(0.1), written out.
  const double cr = std::cos(0.1), sr = std::sin(0.1), cp = std::cos(-0.2), sp = std::sin(-0.2),
               cy = std::cos(0.3), sy = std::sin(0.3);
  Matrix3d R;
  R << cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr, sy * cp, sy * sp * sr + cy * cr,
      sy * sp * cr - cy * sr, -sp, cp * sr, cp * cr;
  EXPECT_LT((X.R - R).norm(), 1e-15);
  EXPECT_EQ(X.p, Vector3d(1, 2, 3));

  const auto quaternion = parse(
      "<robot name=\"r\" version=\"1.1\"><link name=\"base\"><collision>"
      "<origin quat_xyzw=\"0 0 2 0\"/><geometry><sphere radius=\"1\"/></geometry></collision>"
      "</link></robot>");
  Matrix3d half_turn = Vector3d(-1, -1, 1).asDiagonal();
  EXPECT_LT((quaternion->bodies()[0].geometries[0].X_FG.X.R - half_turn).norm(), 1e-15);
  ASSERT_EQ(quaternion->warnings().size(), 1u);
  EXPECT_EQ(quaternion->warnings()[0],
            "r.urdf:1: <link name=\"base\"> <origin>: quat_xyzw has length 2; it is normalised");

  const auto none = parse(shape_text("<sphere radius=\"1\"/>", "<origin/>"));
  EXPECT_EQ(none->bodies()[0].geometries[0].X_FG.X.R, Matrix3d::Identity());
  EXPECT_EQ(none->bodies()[0].geometries[0].X_FG.rotation_error, 0.0);
}

TEST(Urdf, RefusesOriginsThatItCannotRead) {
  const std::string ball = "<sphere radius=\"1\"/>";
  const std::string at = "r.urdf:3: <link name=\"base\"> <origin>: ";
  expect_refusals({
      {shape_text(ball, "<origin xyz=\"1 2\"/>"), at + "xyz=\"1 2\" has 2 numbers; give 3"},
      {shape_text(ball, "<origin rpy=\"1 2 inf\"/>"),
       at + "rpy: \"inf\" is not a finite number; write decimal numbers with a point, separated by "
            "blanks"},
      {shape_text(ball, "<origin rpy=\"1 2 3\" quat_xyzw=\"0 0 0 1\"/>"),
       at + "has both rpy and quat_xyzw; keep one of them"},
      {shape_text(ball, "<origin quat_xyzw=\"0 0 0 0\"/>"),
       at + "quat_xyzw has length 0; give a unit quaternion, x y z w"},
      {shape_text(ball, "<origin rpy=\"1e7 0 0\"/>"),
       at + "rpy holds an angle above 1e6 rad; give angles in radians"},
      {shape_text(ball, "<origin/><origin/>"), at + "a second <origin>; keep one of them"},
  });
}

// ---- joints

TEST(Urdf, ReadsEveryJointType) {
  const std::string limit = "<limit lower=\"-1\" upper=\"2\" effort=\"1\" velocity=\"1\"/>";
  const auto joint = [](const Robot& robot) { return robot.joint(LinkIndex(1)); };
  EXPECT_EQ(parse(joint_text("fixed", ""))->num_links(), 1);
  const auto revolute = parse(joint_text("revolute", limit));
  EXPECT_EQ(joint(*revolute).type, JointType::kRevolute);
  EXPECT_EQ(joint(*revolute).lower, -1.0);
  EXPECT_EQ(joint(*revolute).upper, 2.0);
  EXPECT_EQ(joint(*revolute).axis, Vector3d::UnitX()) << "the default axis";
  EXPECT_EQ(joint(*parse(joint_text("prismatic", limit))).type, JointType::kPrismatic);
  const auto continuous = parse(joint_text("continuous", limit));
  EXPECT_EQ(joint(*continuous).type, JointType::kContinuous);
  EXPECT_EQ(joint(*continuous).upper, kInfinity) << "a continuous joint has no limits";
  EXPECT_EQ(joint(*parse(joint_text("planar", "<axis xyz=\"0 0 1\"/>"))).type, JointType::kPlanar);
  EXPECT_EQ(joint(*parse(joint_text("floating", ""))).type, JointType::kFloating);
  const auto ball = parse(joint_text("spherical", ""));
  EXPECT_EQ(joint(*ball).type, JointType::kBall);
  ASSERT_EQ(ball->warnings().size(), 1u);
  EXPECT_EQ(ball->warnings()[0],
            "r.urdf:5: <joint name=\"j\">: type spherical is not standard "
            "URDF; it is read as a ball joint");
  // Exporters write zero axes where none is used.
  EXPECT_NO_THROW(parse(joint_text("fixed", "<axis xyz=\"0 0 0\"/>")));
  EXPECT_NO_THROW(parse(joint_text("floating", "<axis xyz=\"0 0 0\"/>")));
}

TEST(Urdf, AnAxisIsADirection) {
  const auto robot = parse(joint_text("continuous", "<axis xyz=\"0 -30 40\"/>"));
  EXPECT_LT((robot->joint(LinkIndex(1)).axis - Vector3d(0, -0.6, 0.8)).norm(), 1e-15);
}

TEST(Urdf, LimitsThatAreLeftOutCountAsZeroWithAWarning) {
  const auto none = parse(joint_text("revolute", "<limit effort=\"1\" velocity=\"1\"/>"));
  EXPECT_EQ(none->joint(LinkIndex(1)).lower, 0.0);
  EXPECT_EQ(none->joint(LinkIndex(1)).upper, 0.0);
  ASSERT_EQ(none->warnings().size(), 1u);
  EXPECT_EQ(none->warnings()[0],
            "r.urdf:5: <joint name=\"j\">: its <limit> gives neither lower nor upper; both count "
            "as 0, so it cannot move");
  const auto upper = parse(joint_text("prismatic", "<limit upper=\"0.5\"/>"));
  EXPECT_EQ(upper->joint(LinkIndex(1)).lower, 0.0);
  EXPECT_TRUE(upper->warnings().empty());
  const auto equal = parse(joint_text("prismatic", "<limit lower=\"2\" upper=\"2\"/>"));
  ASSERT_EQ(equal->warnings().size(), 1u);
  EXPECT_EQ(equal->warnings()[0],
            "r.urdf:5: <joint name=\"j\">: its limits are both 2, so it cannot move");
}

TEST(Urdf, RefusesJointsThatItCannotRead) {
  const std::string at = "r.urdf:5: <joint name=\"j\">: ";
  expect_refusals({
      {joint_text("revolut", ""), at + "type \"revolut\" is not known; use fixed, revolute, "
                                       "continuous, prismatic, planar, floating or spherical"},
      {joint_text("revolute", ""),
       at + "is revolute but has no <limit>; write <limit lower=\"...\" upper=\"...\" "
            "effort=\"...\" velocity=\"...\"/>, or make it continuous"},
      {joint_text("prismatic", ""), at + "is prismatic but has no <limit>; write <limit "
                                         "lower=\"...\" upper=\"...\" effort=\"...\" "
                                         "velocity=\"...\"/>"},
      {joint_text("prismatic", "<limit lower=\"0.5\" upper=\"-3.0\"/>"),
       at + "lower limit 0.5 is above upper limit -3; swap the two values"},
      {joint_text("revolute", "<limit lower=\"0.5\" upper=\"-3.0\"/>"),
       at + "lower limit 0.5 is above upper limit -3; swap the two values, or make it continuous "
            "if it has no limits"},
      {joint_text("revolute", "<limit lower=\"0.5\"/>"),
       at + "lower limit 0.5 is above upper limit 0; give both: the one that is missing counts as "
            "0"},
      {joint_text("revolute", "<limit lower=\"-inf\" upper=\"1\"/>"),
       "r.urdf:7: <joint name=\"j\"> <limit>: lower: \"-inf\" is not a finite number; write "
       "decimal "
       "numbers with a point, separated by blanks"},
      {joint_text("continuous", "<axis xyz=\"0 0 0\"/>"),
       "r.urdf:7: <joint name=\"j\"> <axis>: the axis is zero; give a direction, or make the joint "
       "fixed"},
      {joint_text("continuous", "<axis/>"),
       "r.urdf:7: <joint name=\"j\"> <axis>: attribute xyz is missing; write xyz=\"x y z\""},
      {joint_text("continuous", "<axis xyz=\"0 1\"/>"),
       "r.urdf:7: <joint name=\"j\"> <axis>: xyz=\"0 1\" has 2 numbers; give 3"},
      {joint_text("continuous", "<parent link=\"tip\"/>"),
       "r.urdf:7: <joint name=\"j\"> <parent>: a second <parent>; keep one of them"},
      {joint_text("continuous", "<mimic/>"),
       "r.urdf:7: <joint name=\"j\"> <mimic>: attribute joint is missing; write joint=\"...\""},
      {joint_text("continuous", "<mimic joint=\"k\"/>"),
       at + "mimics joint \"k\", which does not exist; name a <joint> of this robot"},
      {robot_text(
           "<link name=\"a\"/>\n<link name=\"b\"/>\n<link name=\"c\"/>\n"
           "<joint name=\"one\" type=\"fixed\"><parent link=\"a\"/><child link=\"c\"/></joint>\n"
           "<joint name=\"two\" type=\"fixed\"><parent link=\"b\"/><child link=\"c\"/></joint>"),
       "r.urdf:7: <joint name=\"two\">: link \"c\" already is the child of joint \"one\"; a link "
       "has "
       "one parent: remove one of the two joints"},
      {robot_text(
           "<link name=\"a\"/>\n<joint name=\"one\" type=\"fixed\"><parent link=\"a\"/></joint>"),
       "r.urdf:4: <joint name=\"one\">: has no <child>; write <child link=\"...\"/>"},
      {robot_text("<link name=\"a\"/>\n<joint name=\"one\"><parent link=\"a\"/></joint>"),
       "r.urdf:4: <joint name=\"one\">: attribute type is missing; write type=\"...\""},
      {robot_text("<link name=\"a\"/>\n<link name=\"a\"/>"),
       "r.urdf:4: <link name=\"a\">: another link has this name; rename one of the two"},
      {robot_text("<link/>"), "r.urdf:3: <link>: attribute name is missing; write name=\"...\""},
      {robot_text(""), "r.urdf:2: <robot name=\"r\">: has no link; add at least one <link>"},
  });
}

// ---- the document

TEST(Urdf, RefusesDocumentsThatAreNotUrdf) {
  expect_refusals({
      {"", "r.urdf: the file holds no XML; xmllint --noout FILE shows the place"},
      {"<?xml version=\"1.0\"?>",
       "r.urdf: the file holds no element; a <robot> element is expected"},
      {"<sdf/>", "r.urdf:1: <sdf>: the outermost element is not <robot>; is this the right file?"},
      {"<robot name=\"r\">\n<link name=\"a\">\n</robot>",
       "r.urdf:2: an element is closed by another one's end tag, or not at all; xmllint --noout "
       "FILE "
       "shows the place"},
      {"<robot name=\"r\"><link name=\"a\"/></robot>\n<robot/>",
       "r.urdf:2: something follows </robot>; a file holds one outermost element: remove the rest"},
      {std::string("<robot name=\"r\">\n<link \0name=\"a\"/></robot>", 41),
       "r.urdf:2: a NUL byte stands inside the file; save it as UTF-8 text without NUL bytes "
       "(UTF-16 "
       "is not read)"},
      {"<robot name=\"r\"><link name=\"\xff\"/></robot>",
       "r.urdf:1: <link>: attribute name is not UTF-8; save the file as UTF-8"},
      {"<robot name=\"r\" version=\"2.0\"><link name=\"a\"/></robot>",
       "r.urdf:1: <robot name=\"r\">: version \"2.0\" of the format is not known; write "
       "version=\"1.0\" or \"1.1\""},
      {"<robot name=\"r\"><xacro:macro name=\"m\"/></robot>",
       "r.urdf: <robot>: this text is xacro, not URDF; expand it first, or load it from its file"},
  });
  std::string deep = "<robot name=\"r\">";
  for (int i = 0; i < 100000; ++i) deep += "<a>";
  try {
    (void)parse(deep);
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("nested too deeply"), std::string::npos)
        << error.what();
  }
}

TEST(Urdf, WarnsOfWhatMayBeAMisspelling) {
  const auto robot = parse(robot_text(
      "<link name=\"base\">\n<colision/></link>\n<!-- xacro:macro --><material name=\"m\"/>\n"
      "<loop_joint name=\"l\"/>"));
  ASSERT_EQ(robot->warnings().size(), 2u);
  EXPECT_EQ(robot->warnings()[0],
            "r.urdf:3: <link name=\"base\">: <colision> is not known here and is ignored");
  EXPECT_EQ(robot->warnings()[1],
            "r.urdf:6: <loop_joint name=\"l\">: closes a loop; it is ignored, so nothing keeps the "
            "loop closed");
}

TEST(Urdf, WarnsInEveryElementThatHoldsAMisspelling) {
  const auto robot = parse(
      robot_text("<link name=\"a\"><colision/><colision/></link>\n<link name=\"b\"><colision/>"
                 "</link>\n<joint name=\"j\" type=\"fixed\"><parent link=\"a\"/><child "
                 "link=\"b\"/></joint>"));
  ASSERT_EQ(robot->warnings().size(), 2u);
  for (const char* link : {"a", "b"}) {
    EXPECT_NE(robot->warnings()[link[0] == 'a' ? 0 : 1].find("<link name=\"" + std::string(link) +
                                                             "\">: <colision> is not known"),
              std::string::npos);
  }
}

TEST(Urdf, NulBytesAfterTheRobotAreAWarning) {
  std::string text = robot_text("<link name=\"base\"/>");
  text += '\0';
  text += "\n";
  const auto robot = parse(text);
  ASSERT_EQ(robot->warnings().size(), 1u);
  EXPECT_EQ(robot->warnings()[0], "r.urdf:5: NUL bytes at the end of the file are ignored");
}

TEST(Urdf, AByteOrderMarkIsNoProblem) {
  const TemporaryFolder folder;
  const std::string file =
      folder.write("r.urdf", "\xef\xbb\xbf" + robot_text("<link name=\"b\"/>"));
  EXPECT_EQ(load_urdf(file)->bodies()[0].name, "b");
}

TEST(Urdf, AFileThatIsNotThereIsNamed) {
  try {
    (void)load_urdf("/nowhere/r.urdf");
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_EQ(error.file(), "/nowhere/r.urdf");
  }
  const TemporaryFolder folder;
  EXPECT_THROW((void)load_urdf(folder.path().string()), InputError);
}

// Property: a number means its nearest double under any locale.
TEST(UrdfProperty, NumbersDoNotDependOnTheLocale) {
  struct CommaNumbers : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
  };
  const std::string text = joint_text(
      "prismatic", "<limit lower=\"-1234.5678\" upper=\"0.1\"/><origin xyz=\"0.5 1.5 1e-3\"/>");
  const std::string old = std::setlocale(LC_ALL, nullptr);
  bool comma = false;
  for (const char* name : {"de_DE.UTF-8", "de_DE", "fr_FR.UTF-8", "C"}) {
    if (std::setlocale(LC_ALL, name) == nullptr) continue;
    comma = comma || *std::localeconv()->decimal_point == ',';
    const std::locale before =
        std::locale::global(std::locale(std::locale::classic(), new CommaNumbers));
    const auto robot = parse(text);
    std::string message;
    try {
      (void)parse(joint_text("prismatic", "<limit lower=\"1234.5\" upper=\"0.1\"/>"));
    } catch (const InputError& error) {
      message = error.what();
    }
    std::locale::global(before);
    const Joint& joint = robot->joint(LinkIndex(1));
    EXPECT_EQ(joint.lower, -1234.5678);
    EXPECT_EQ(joint.upper, 0.1);
    EXPECT_EQ(joint.X_PJ.X.p, Vector3d(0.5, 1.5, 1e-3));
    EXPECT_NE(message.find("lower limit 1234.5 is"), std::string::npos) << message;
  }
  std::setlocale(LC_ALL, old.c_str());
  if (!comma) std::cout << "no C locale with a decimal comma is installed; only C++'s was tried\n";
}

// ---- meshes and their paths

std::string mesh_text(const std::string& filename, const std::string& more = "") {
  return shape_text("<mesh filename=\"" + filename + "\" " + more + "/>");
}

TEST(Urdf, FindsMeshesHoweverTheyAreNamed) {
  const ScopedVariable no_ros("ROS_PACKAGE_PATH", nullptr);
  const ScopedVariable no_ament("AMENT_PREFIX_PATH", nullptr);
  const TemporaryFolder folder;
  folder.write("ws/my_robot/meshes/a.obj", kTetrahedron);
  folder.write("ws/my_robot/meshes/with blank.obj", kTetrahedron);
  folder.write("ws/folder_of_other_name/package.xml",
               "<package><name> other_robot </name></package>");
  folder.write("ws/folder_of_other_name/b.obj", kTetrahedron);
  const std::string base = (folder.path() / "ws/my_robot").string();
  for (const std::string& uri : std::vector<std::string>{
           "../meshes/a.obj", "package://my_robot/meshes/a.obj", "package:///my_robot/meshes/a.obj",
           "package://meshes/a.obj", "model://my_robot/meshes/a.obj", base + "/meshes/a.obj",
           "file://" + base + "/meshes/a.obj", "file:" + base + "/meshes/a.obj",
           "file://localhost" + base + "/meshes/a.obj", "..\\meshes\\a.obj",
           "../meshes/with%20blank.obj", "../meshes/with blank.obj", " ../meshes/a.obj ",
           "package://my_robot/meshes/with%20blank.obj", "file://../meshes/a.obj",
           "package://my_robot\\meshes\\a.obj", "../../my_robot/./meshes/a.obj"}) {
    const std::string file = folder.write("ws/my_robot/urdf/r.urdf", mesh_text(uri));
    try {
      const auto robot = load_urdf(file);
      EXPECT_EQ(only_shape(*robot).num_elements(), 4) << uri;
      EXPECT_TRUE(only_shape(*robot).is_solid()) << uri;
    } catch (const InputError& error) {
      ADD_FAILURE() << uri << ": " << error.what();
    }
  }
}

TEST(Urdf, FindsPackagesByMapAndByEnvironment) {
  const TemporaryFolder folder, elsewhere;
  folder.write("ros/deep/er/pkg_dir/package.xml", "<package><name>ros1</name></package>");
  folder.write("ros/deep/er/pkg_dir/m.obj", kTetrahedron);
  folder.write("ament/share/ros2/m.obj", kTetrahedron);
  folder.write("mapped/m.obj", kTetrahedron);
  const std::string ros = (folder.path() / "ros").string() + ":/nowhere";
  const std::string ament = "/nowhere:" + (folder.path() / "ament").string();
  const ScopedVariable set_ros("ROS_PACKAGE_PATH", ros.c_str());
  const ScopedVariable set_ament("AMENT_PREFIX_PATH", ament.c_str());
  const auto loads = [&](const std::string& uri, const UrdfOptions& options) {
    return load_urdf(elsewhere.write("r.urdf", mesh_text(uri)), options)->bodies().size() == 1;
  };
  EXPECT_TRUE(loads("package://ros1/m.obj", {}));
  EXPECT_TRUE(loads("package://ros2/m.obj", {}));
  UrdfOptions map;
  map.packages["ros1"] = (folder.path() / "mapped").string();
  EXPECT_TRUE(loads("package://ros1/m.obj", map));
  map.packages["ros1"] = "/nowhere";
  EXPECT_THROW(loads("package://ros1/m.obj", map), InputError) << "the map alone counts";
}

TEST(Urdf, AMissingMeshSaysWhereItWasSoughtAndHowToMapIt) {
  const ScopedVariable no_ros("ROS_PACKAGE_PATH", nullptr);
  const ScopedVariable no_ament("AMENT_PREFIX_PATH", nullptr);
  const TemporaryFolder folder;
  folder.write("pkg/keep", "");
  const std::string at = folder.path().string();
  const std::vector<Refusal> refusals = {
      {"package://gone_pkg/m.stl",
       "the file \"package://gone_pkg/m.stl\" is not found: no folder is known for package "
       "\"gone_pkg\"; name the package's folder with --package gone_pkg=DIR, or through "
       "ROS_PACKAGE_PATH or AMENT_PREFIX_PATH"},
      {"package://pkg/m.stl",
       "the file \"package://pkg/m.stl\" is not there (looked for " + at +
           "/pkg/m.stl); put it there, or name the package's folder with --package pkg=DIR"},
      {"m.stl", "the file \"m.stl\" is not there (looked for " + at +
                    "/m.stl); put it there, or correct the name"},
      {"http://example.org/m.stl",
       "\"http://example.org/m.stl\" is not a file on this machine; download it and name it by its "
       "path, or by package://"},
      {"package://pkg", "\"package://pkg\" names no file in a package; write package://NAME/path"},
  };
  for (const Refusal& refusal : refusals) {
    const std::string file = folder.write("r.urdf", mesh_text(refusal.text));
    try {
      (void)load_urdf(file);
      ADD_FAILURE() << "accepted " << refusal.text;
    } catch (const InputError& error) {
      EXPECT_EQ(error.what(), file + ":3: <link name=\"base\"> <mesh>: " + refusal.message);
    }
  }
}

TEST(Urdf, ABrokenMeshIsReportedAtTheElementThatNamesIt) {
  const TemporaryFolder folder;
  folder.write("broken.obj", "v 0 0 0\n");
  const std::string file = folder.write("r.urdf", mesh_text("broken.obj"));
  try {
    (void)load_urdf(file);
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_EQ(error.file(), file);
    EXPECT_EQ(error.line(), 3);
    EXPECT_NE(std::string(error.what()).find("broken.obj"), std::string::npos);
  }
}

TEST(Urdf, OneMeshAtOneScaleIsOneGeometry) {
  const TemporaryFolder folder;
  folder.write("m.obj", kTetrahedron);
  const auto collision = [](const std::string& scale) {
    return "<collision><geometry><mesh filename=\"m.obj\" scale=\"" + scale +
           "\"/></geometry></collision>";
  };
  const std::string text =
      robot_text("<link name=\"base\">" + collision("1 1 1") + collision("1 1 1") +
                 collision("1 1 -1") + collision("2 1 1") + "</link>");
  const auto robot = load_urdf(folder.write("r.urdf", text));
  const auto& shapes = robot->bodies()[0].geometries;
  ASSERT_EQ(shapes.size(), 4u);
  EXPECT_EQ(shapes[0].geometry, shapes[1].geometry);
  EXPECT_NE(shapes[0].geometry, shapes[2].geometry);
  EXPECT_NE(shapes[0].geometry, shapes[3].geometry);
  EXPECT_TRUE(shapes[2].geometry->is_solid()) << "a mirrored solid is a solid";
}

TEST(Urdf, AMeshIsWhatItIsDeclaredToBe) {
  const TemporaryFolder folder;
  folder.write("m.obj", kTetrahedron);
  folder.write("open.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  UrdfOptions options;
  options.mesh_filling["base"] = MeshFilling::kSurface;
  const std::string closed = folder.write("r.urdf", mesh_text("m.obj"));
  EXPECT_FALSE(only_shape(*load_urdf(closed, options)).is_solid());
  options.mesh_filling["base"] = MeshFilling::kSolid;
  EXPECT_TRUE(only_shape(*load_urdf(closed, options)).is_solid());
  const std::string open = folder.write("open.urdf", mesh_text("open.obj"));
  EXPECT_FALSE(only_shape(*load_urdf(open)).is_solid());
  EXPECT_THROW((void)load_urdf(open, options), InputError);
  options.mesh_filling = {{"bass", MeshFilling::kSolid}};
  try {
    (void)load_urdf(closed, options);
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_EQ(error.what(), closed +
                                ": <link name=\"bass\">: a mesh filling is given for it, but "
                                "there is no such link; name a link of this robot");
  }
}

// ---- xacro

/// Puts a program named xacro first on PATH that does what the shell script says.
class FakeXacro {
 public:
  explicit FakeXacro(const std::string& script)
      : path_((write(folder_, script), folder_.path().string() + ":/usr/bin:/bin")),
        variable_("PATH", path_.c_str()) {}

 private:
  static void write(const TemporaryFolder& folder, const std::string& script) {
    chmod(folder.write("xacro", "#!/bin/sh\n" + script).c_str(), 0755);
  }
  TemporaryFolder folder_;
  std::string path_;
  ScopedVariable variable_;
};

constexpr const char* kXacroText =
    "<robot name=\"r\" xmlns:xacro=\"http://ros.org/wiki/xacro\"><xacro:property name=\"p\" "
    "value=\"1\"/></robot>";

TEST(Urdf, XacroIsExpandedByTheInstalledProgram) {
  const TemporaryFolder folder;
  folder.write("m.obj", kTetrahedron);
  const std::string file = folder.write("r.urdf.xacro", kXacroText);
  const FakeXacro xacro("test \"$1\" = '" + file + "' || exit 3\n" +
                        "echo '<robot name=\"made\"><link name=\"l\"><collision><geometry><mesh "
                        "filename=\"m.obj\"/></geometry></collision></link></robot>'\n");
  const auto robot = load_urdf(file);
  EXPECT_EQ(robot->name(), "made");
  EXPECT_EQ(only_shape(*robot).num_elements(), 4) << "meshes are found from the source's folder";
}

TEST(Urdf, AnSrdfMayBeXacroToo) {
  const TemporaryFolder folder;
  UrdfOptions options;
  options.srdf = folder.write("r.srdf.xacro", kXacroText);
  const std::string file = folder.write("r.urdf", robot_text("<link name=\"base\"/>"));
  const FakeXacro xacro(
      "echo '<robot name=\"r\"><group name=\"g\"><link name=\"gone\"/></group></robot>'\n");
  const auto robot = load_urdf(file, options);
  ASSERT_EQ(robot->groups().size(), 1u);
  EXPECT_EQ(robot->warnings()[0].rfind(options.srdf + " (as expanded by xacro):1: ", 0), 0u)
      << robot->warnings()[0];
}

TEST(Urdf, XacroThatFailsIsQuoted) {
  const TemporaryFolder folder;
  const std::string file = folder.write("r.xacro", kXacroText);
  const FakeXacro xacro("echo 'trouble in line 7' >&2\nexit 2\n");
  try {
    (void)load_urdf(file);
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_EQ(error.what(), file +
                                ": <robot>: xacro refused it: trouble in line 7; correct the "
                                "file, or name missing packages with --package NAME=DIR");
  }
}

TEST(Urdf, XacroOfMacrosOnlySaysSo) {
  const TemporaryFolder folder;
  const std::string file = folder.write("r.xacro", kXacroText);
  const FakeXacro xacro("echo '<robot name=\"r\"/>'\n");
  try {
    (void)load_urdf(file);
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_EQ(error.what(), file +
                                " (as expanded by xacro): <robot name=\"r\">: has no link; if "
                                "this is a file of macros, name the file that uses them");
  }
}

TEST(Urdf, WithoutXacroTheErrorSaysHowToGetIt) {
  const TemporaryFolder folder;
  const std::string file = folder.write("r.xacro", kXacroText);
  const ScopedVariable no_path("PATH", "/nowhere");
  try {
    (void)load_urdf(file);
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_EQ(error.what(),
              file +
                  ": <robot>: this is a xacro file, and there is no xacro program on PATH to "
                  "expand it; install it (pip install xacro, or the package xacro of ROS), or "
                  "give the URDF that it makes");
  }
  // A plain URDF under that name, or one that a xacro made, needs none.
  const std::string plain = folder.write(
      "plain.xacro",
      "<!-- <xacro:macro/> --><robot name=\"r\" xmlns:xacro=\"x\"><link name=\"l\"/></robot>");
  EXPECT_EQ(load_urdf(plain)->num_links(), 1);
}

// ---- robustness

// Property: whatever bytes change, the reader returns a robot or throws an InputError.
TEST(UrdfProperty, MutatedFilesNeverCrash) {
  const std::string seed_text = robot_text(
      "<link name=\"base\"><collision><origin xyz=\"1 2 3\" rpy=\"0 0.5 -1\"/><geometry><box "
      "size=\"1 "
      "2 3\"/></geometry></collision></link>\n<link name=\"a\"><collision><geometry><capsule "
      "radius=\"0.1\" length=\"1\"/></geometry></collision></link>\n<link name=\"b\"/>\n<joint "
      "name=\"ja\" type=\"revolute\"><parent link=\"base\"/><child link=\"a\"/><axis xyz=\"0 1 "
      "0\"/><limit lower=\"-1\" upper=\"1\" effort=\"1\" velocity=\"1\"/></joint>\n<joint "
      "name=\"jb\" type=\"continuous\"><parent link=\"a\"/><child link=\"b\"/><mimic joint=\"ja\" "
      "multiplier=\"2\"/></joint>");
  std::mt19937 rng(11);
  int accepted = 0, refused = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    const std::string text = test::damaged(seed_text, rng);
    try {
      (void)parse(text);
      ++accepted;
    } catch (const InputError& error) {
      ++refused;
      ASSERT_EQ(std::string(error.what()).rfind("r.urdf", 0), 0u) << error.what();
    } catch (const std::exception& error) {
      FAIL() << "seed 11, trial " << trial << ": " << error.what() << "\n" << text;
    }
  }
  EXPECT_GT(accepted, 30);
  EXPECT_GT(refused, 100);
}

}  // namespace
}  // namespace catena::io
