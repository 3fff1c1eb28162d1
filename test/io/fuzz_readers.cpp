// Feeds mutated inputs to one kind of reader: fuzz_readers KIND SECONDS SEED [ITERATIONS]
//
// A reader may return something or throw what says what is wrong with the input. Anything else is
// a failure: a crash or a hang (an alarm after 60 s) ends the process, another exception ends it
// with status 1. The input of that moment stays behind, in the folder that is printed first.

#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "catena/io/input_error.hpp"
#include "catena/io/mesh_file.hpp"
#include "catena/io/path_file.hpp"
#include "catena/io/pdb_file.hpp"
#include "catena/io/protein_robot.hpp"
#include "catena/io/query_file.hpp"
#include "catena/io/request_file.hpp"
#include "catena/io/scene_file.hpp"
#include "catena/io/srdf.hpp"
#include "catena/io/urdf.hpp"
#include "support/data.hpp"

namespace catena::io {
namespace {

namespace fs = std::filesystem;

struct Input {
  std::string ending;  // with the dot
  std::string bytes;
};

constexpr const char* kTetrahedron =
    "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";

constexpr const char* kUrdf = R"(<?xml version="1.0"?>
<robot name="arm" version="1.1">
<link name="base"><collision><origin xyz="0 0 1" rpy="0 0.5 0"/><geometry><box size="1 2 3"/>
</geometry></collision><collision><geometry><mesh filename="t.obj" scale="1 1 -1"/></geometry>
</collision></link>
<link name="upper"><collision><geometry><capsule radius="0.1" length="1"/></geometry></collision></link>
<link name="lower"><collision><origin quat_xyzw="0 0 0 1"/><geometry><cylinder radius="0.1"
 length="1"/></geometry></collision></link>
<link name="hand"><collision><geometry><sphere radius="0.1"/></geometry></collision></link>
<joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 1 0"/>
<limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
<joint name="elbow" type="continuous"><parent link="upper"/><child link="lower"/>
<mimic joint="shoulder" multiplier="2" offset="0.1"/></joint>
<joint name="flange" type="fixed"><parent link="lower"/><child link="hand"/></joint>
</robot>)";

constexpr const char* kSrdf = R"(<robot name="arm">
<virtual_joint name="w" type="planar" parent_frame="odom" child_link="base"/>
<group name="arm"><chain base_link="base" tip_link="hand"/><joint name="w"/></group>
<group name="hand"><link name="hand"/><group name="arm"/></group>
<group_state name="home" group="arm"><joint name="w" value="1 2 0.5"/></group_state>
<passive_joint name="elbow"/><disable_default_collisions link="hand"/>
<enable_collisions link1="base" link2="hand"/>
<disable_collisions link1="upper" link2="hand" reason="Never"/></robot>)";

constexpr const char* kSmallScene = R"({"objects": [
{"id": "a", "shape": "box", "size": [1, 2, 3], "pose": {"xyz": [0, 0, 1], "quat_xyzw": [0, 0, 0, 1]}},
{"id": "b", "shape": "sphere", "radius": 0.5, "pose": {"xyz": [1, 0, 0], "quat_xyzw": [0, 0, 0, 1]}},
{"id": "c", "shape": "mesh", "file": "t.obj", "pose": {"xyz": [1, 0, 0], "quat_xyzw": [0, 0, 0, 1]}}]})";

constexpr const char* kTextScene = R"((noname)+
* box
1
box
0.1 0.2 0.3
1 2 3
0 0 0 1
0 0 0 0
.
)";

constexpr const char* kNewTextScene = R"((noname)+
* post
1 0 0.5
0 0 0 1
2
cylinder
0.1 1
0 0 0
0 0 0 1
0 0 0 0
mesh
3 1
0 0 0
1 0 0
0 1 0
0 1 2
0 0 0
0 0 0 1
0 0 0 0
0
.
)";

constexpr const char* kPlanningScene = R"(name: s
robot_state:
  joint_state: {name: [a, b], position: [0.1, 0.2]}
  attached_collision_objects:
    - link_name: hand
      object: {id: tool, header: {frame_id: hand}, primitives: [{type: 2, dimensions: [0.1]}],
        primitive_poses: [{position: [0, 0, 0], orientation: [0, 0, 0, 1]}], operation: 0}
      touch_links: [hand]
link_padding: [{link_name: hand, padding: 0.01}]
allowed_collision_matrix:
  entry_names: [a, b]
  entry_values: [{enabled: [true, false]}, {enabled: [false, true]}]
world:
  collision_objects:
    - id: box
      header: {frame_id: world}
      pose: {position: {x: 1, y: 0, z: 0}, orientation: {x: 0, y: 0, z: 0, w: 1}}
      primitives: [{type: box, dimensions: [1, 2, 3]}]
      primitive_poses: [{position: [0, 0, 0], orientation: [0, 0, 0, 1]}]
)";

constexpr const char* kRequest = R"(group_name: arm
start_state: {joint_state: {name: [a, b], position: [0.1, 0.2]}}
goal_constraints:
  - joint_constraints: [{joint_name: a, position: 1, tolerance_above: 0.1, tolerance_below: 0.1}]
)";

constexpr const char* kQuery = R"({"joint_order": ["a", "b"], "package_map": {"p": "."},
"states": {"s": [0.0, 1e-3], "t": [1, null], "u": ["nan", 2]}, "others": {"g": 0.02},
"check": ["s", {"state": "s", "scene": "x.json"}],
"edges": [{"id": "st", "from": "s", "to": "s"}]})";

constexpr const char* kPath = R"({"format": "catena-path/1", "robot": "r", "group": "g",
"joint_order": ["a", "b"], "states": [[0, 1], [1, 2]], "times": [0, 1],
"edges": [{"verdict": "free", "distance": [0.1, 0.2]}], "stats": {"time": 1}})";

constexpr const char* kPdb =
    "MODEL        1\n"
    "ATOM      1  N   SER A  22     -14.282  -3.023 -15.571  1.00  4.57           N  \n"
    "ATOM      2  CA ASER A  22     -13.829  -3.816 -14.436  0.53  5.30           C  \n"
    "ATOM      3  CA BSER A  22     -13.820  -3.810 -14.430  0.47  5.30           C  \n"
    "ATOM      4  C   SER A  22     -12.365  -3.540 -14.113  1.00  4.77           C  \n"
    "ATOM      5  CB  SER A  22     -14.700  -3.500 -13.200  1.00  4.77           C  \n"
    "ATOM      6  OG  SER A  22     -14.300  -4.300 -12.100  1.00  4.77              \n"
    "ATOM      7  N   GLU A  23A    -12.046  -3.614 -12.827  1.00  4.76           N  \n"
    "ATOM      8  CA  GLU A  23A    -10.679  -3.437 -12.387  1.00  4.89           C  \n"
    "TER\nENDMDL\n";

constexpr const char* kPcd =
    "# .PCD v0.7\nVERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nWIDTH 3\nHEIGHT "
    "1\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS 3\nDATA ascii\n0 0 0\n1 0 0\nnan nan nan\n";

constexpr const char* kPly =
    "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float "
    "z\nend_header\n0 0 0\n1 0 0\n0 1 0\n";

constexpr const char* kPlyMesh =
    "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float "
    "z\nproperty uchar red\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n"
    "0 0 0 1\n1 0 0 2\n0 1 0 3\n3 0 1 2\n";

constexpr const char* kStl =
    "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\n"
    "endfacet\nendsolid x\n";

constexpr const char* kOff = "OFF\n4 2 0\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 1 2\n4 0 1 2 3\n";

constexpr const char* kCollada = R"(<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit name="centimeter" meter="0.01"/><up_axis>Z_UP</up_axis></asset>
<library_geometries><geometry id="g"><mesh><source id="p"><float_array id="a" count="12">0 0 0 1 0 0
0 1 0 0 0 1</float_array><technique_common><accessor source="#a" count="4" stride="3">
<param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/></accessor>
</technique_common></source><vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="2"><input semantic="VERTEX" source="#v" offset="0"/><p>0 2 1 0 1 3</p></triangles>
<polylist count="1"><input semantic="VERTEX" source="#v" offset="0"/><vcount>4</vcount>
<p>0 1 2 3</p></polylist></mesh></geometry></library_geometries><library_visual_scenes>
<visual_scene id="s"><node id="n"><translate>1 0 0</translate><rotate>0 0 1 30</rotate>
<instance_geometry url="#g"/></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>)";

std::string binary_stl() {
  std::string bytes(84, '\0');
  bytes[80] = 1;
  const float values[12] = {0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0};
  bytes.append(reinterpret_cast<const char*>(values), sizeof values);
  bytes.append(2, '\0');
  return bytes;
}

const std::string kOctomap =
    std::string("# Octomap OcTree binary file\nid OcTree\nsize 2\nres 0.1\ndata\n") +
    std::string("\x01\x00", 2);

std::string file_bytes(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

/// Files of the data folder with one of these endings that are not too large to try often.
void add_data(const std::string& folder, const std::set<std::string>& endings,
              std::vector<Input>& inputs) {
  constexpr std::uintmax_t kMostBytes = 250000;
  constexpr std::size_t kMostFiles = 40;
  std::error_code error;
  std::vector<fs::path> files;
  for (fs::recursive_directory_iterator at(test::data_root() / folder, error), end;
       !error && at != end; at.increment(error)) {
    std::string ending = at->path().extension().string();
    std::transform(ending.begin(), ending.end(), ending.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (at->is_regular_file() && endings.count(ending) != 0 && at->file_size() <= kMostBytes)
      files.push_back(at->path());
  }
  std::sort(files.begin(), files.end());
  const std::size_t stride = files.size() / kMostFiles + 1;
  for (std::size_t i = 0; i < files.size(); i += stride)
    inputs.push_back({files[i].extension().string(), file_bytes(files[i])});
}

std::vector<Input> inputs_of(const std::string& kind) {
  std::vector<Input> inputs;
  if (kind == "urdf") {
    inputs = {{".urdf", kUrdf}};
    add_data("data/robots", {".urdf"}, inputs);
  } else if (kind == "srdf") {
    inputs = {{".srdf", kSrdf}};
    add_data("data/robots", {".srdf"}, inputs);
  } else if (kind == "scene") {
    inputs = {{".json", kSmallScene}, {".urdf", kUrdf}};
    add_data("cases", {".json"}, inputs);
  } else if (kind == "moveit_scene") {
    inputs = {{".scene", kTextScene}, {".scene", kNewTextScene}};
    add_data("data/scenes/moveit", {".scene"}, inputs);
  } else if (kind == "planning_scene") {
    inputs = {{".yaml", kPlanningScene}};
    add_data("data/scenes", {".yaml", ".yml"}, inputs);
  } else if (kind == "request") {
    inputs = {{".yaml", kRequest}};
    add_data("data/scenes/mbm", {".yaml"}, inputs);
  } else if (kind == "query") {
    inputs = {{".json", kQuery}};
    add_data("cases", {".json"}, inputs);
  } else if (kind == "path") {
    inputs = {{".json", kPath}, {".path", "0 1 2\n3 4 5\n\n"}};
    add_data("data/scenes/omplapp", {".path"}, inputs);
  } else if (kind == "pdb") {
    inputs = {{".pdb", kPdb}};
    add_data("data/proteins", {".pdb"}, inputs);
  } else if (kind == "mesh") {
    inputs = {{".obj", kTetrahedron}, {".ply", kPlyMesh}, {".stl", kStl},
              {".stl", binary_stl()}, {".off", kOff},     {".dae", kCollada}};
    add_data("data/meshes", {".obj", ".stl", ".ply", ".off", ".dae"}, inputs);
  } else if (kind == "octomap") {
    inputs = {{".bt", kOctomap}};
    add_data("data/scenes/octomap", {".bt", ".ot"}, inputs);
  } else if (kind == "cloud") {
    inputs = {{".pcd", kPcd}, {".ply", kPly}};
    add_data("data/scenes/clouds", {".pcd", ".ply"}, inputs);
  }
  return inputs;
}

/// What every text format here is sensitive to.
const std::vector<std::string> kWords = {"nan",
                                         "inf",
                                         "-1",
                                         "0",
                                         "1e308",
                                         "1e-320",
                                         "-0",
                                         "4294967296",
                                         "99999999999999999999",
                                         "\"",
                                         "<",
                                         ">",
                                         "/>",
                                         "{",
                                         "}",
                                         "[",
                                         "]",
                                         ":",
                                         ",",
                                         "\n",
                                         " ",
                                         "\t",
                                         std::string(1, '\0'),
                                         "\xff",
                                         "null",
                                         "true",
                                         "- ",
                                         "&a ",
                                         "*a",
                                         "<<: ",
                                         "..",
                                         "/",
                                         "package://",
                                         "<!--",
                                         "-->",
                                         "]]>",
                                         "&lt;"};

std::string mutated(std::string text, const std::vector<Input>& inputs, std::mt19937& rng) {
  const auto below = [&](std::size_t n) { return n == 0 ? 0 : rng() % n; };
  const int changes = 1 << below(4);
  for (int k = 0; k < changes; ++k) {
    const std::size_t at = below(text.size() + 1);
    switch (below(8)) {
      case 0:
        if (at < text.size()) text[at] = static_cast<char>(rng() % 256);
        break;
      case 1:
        if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << below(8)));
        break;
      case 2:
        text.erase(at, 1 + below(20));
        break;
      case 3:
        text.insert(at, kWords[below(kWords.size())]);
        break;
      case 4: {
        const std::string& word = kWords[below(kWords.size())];
        text.replace(at, std::min(word.size(), text.size() - at), word);
        break;
      }
      case 5:
        text.insert(at, text.substr(below(text.size()), below(200)));
        break;
      case 6: {
        const std::string& other = inputs[below(inputs.size())].bytes;
        text.insert(at, other.substr(below(other.size()), below(200)));
        break;
      }
      default:
        if (below(20) == 0) text.resize(at);
    }
  }
  return text;
}

void read(const std::string& kind, const std::string& file, const RobotDescription& arm) {
  if (kind == "urdf") {
    (void)load_urdf(file);
  } else if (kind == "srdf") {
    RobotDescription description = arm;
    add_srdf(file, description);
    try {
      (void)RobotBuilder::build(description);
    } catch (const ModelError&) {  // says what is wrong, without the file
    }
  } else if (kind == "request") {
    (void)load_request(file);
  } else if (kind == "query") {
    (void)load_query(file);
  } else if (kind == "path") {
    (void)load_path(file);
  } else if (kind == "pdb") {
    const PdbFile protein = load_pdb(file, {true});
    ProteinOptions options;
    options.turning_side_chains = true;
    try {
      (void)RobotBuilder::build(describe_protein(protein, options));
    } catch (const ModelError&) {  // says what is wrong, without the file
    }
  } else if (kind == "mesh") {
    const TriangleMesh mesh = load_mesh(file);
    try {
      (void)Geometry::make_mesh(mesh);
    } catch (const std::invalid_argument&) {  // says what is wrong, without the file
    }
  } else {
    (void)load_scene(file);
  }
}

/// An input that asks for all memory must be refused, not served.
void limit_memory() {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  const rlimit limit = {rlim_t{4} << 30, rlim_t{4} << 30};
  setrlimit(RLIMIT_AS, &limit);
#endif
}

int run(const std::string& kind, double seconds, unsigned seed, long most) {
  const std::vector<Input> inputs = inputs_of(kind);
  if (inputs.empty()) {
    std::cerr
        << "fuzz_readers: there is no kind \"" << kind
        << "\"; choose urdf, srdf, scene, moveit_scene, planning_scene, request, query, path, "
           "pdb, mesh, octomap or cloud\n";
    return 2;
  }
  const fs::path folder =
      fs::temp_directory_path() / ("catena-fuzz-" + kind + "-" + std::to_string(getpid()));
  fs::create_directories(folder);
  std::ofstream(folder / "t.obj") << kTetrahedron;
  std::ofstream(folder / "arm.urdf") << kUrdf;
  const RobotDescription arm = describe_urdf((folder / "arm.urdf").string());
  // A file that became xacro would start a program each time, which is not what is tried here.
  setenv("PATH", "/nowhere", 1);
  std::cout << "fuzz_readers " << kind << ", seed " << seed << ", " << inputs.size()
            << " inputs, in " << folder.string() << std::endl;
  limit_memory();

  std::mt19937 rng(seed);
  const auto start = std::chrono::steady_clock::now();
  long iterations = 0, accepted = 0, refused = 0;
  double slowest = 0.0;
  for (; iterations < most; ++iterations) {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    if (spent.count() > seconds) break;
    const Input& input = inputs[rng() % inputs.size()];
    const std::string file = (folder / ("input" + input.ending)).string();
    std::ofstream(file, std::ios::binary) << mutated(input.bytes, inputs, rng);
    const auto begin = std::chrono::steady_clock::now();
    alarm(60);
    try {
      read(kind, file, arm);
      ++accepted;
    } catch (const InputError&) {
      ++refused;
    } catch (const std::exception& error) {
      std::cout << "iteration " << iterations << ": " << error.what() << "; input: " << file
                << std::endl;
      return 1;
    }
    alarm(0);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    slowest = std::max(slowest, took.count());
  }
  std::cout << kind << ": " << iterations << " iterations, " << accepted << " accepted, " << refused
            << " refused, slowest " << slowest << " s" << std::endl;
  std::error_code error;
  fs::remove_all(folder, error);
  return 0;
}

}  // namespace
}  // namespace catena::io

int main(int count, char** arguments) {
  if (count < 4 || count > 5) {
    std::cerr << "usage: fuzz_readers KIND SECONDS SEED [ITERATIONS]\n";
    return 2;
  }
  try {
    return catena::io::run(arguments[1], std::stod(arguments[2]),
                           static_cast<unsigned>(std::stoul(arguments[3])),
                           count == 5 ? std::stol(arguments[4]) : 1000000000L);
  } catch (const std::exception& error) {
    std::cerr << "fuzz_readers: " << error.what() << "\n";
    return 2;
  }
}
