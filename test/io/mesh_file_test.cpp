// The mesh reader: counts of real files, units, node transforms and their rounding, and refusals.

#include "catena/io/mesh_file.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <map>
#include <random>
#include <sstream>

#include <gtest/gtest.h>
#include <Eigen/Geometry>
#include <boost/multiprecision/cpp_int.hpp>

#include "catena/io/input_error.hpp"
#include "support/damage.hpp"
#include "support/data.hpp"
#include "support/temporary_folder.hpp"

namespace catena::io {
namespace {

using test::TemporaryFolder;
using Exact = boost::multiprecision::cpp_rational;  // the oracle: no rounding at all

constexpr const char* kTetrahedron =
    "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";

std::string message_of(const std::string& path,
                       const Eigen::Vector3d& scale = Eigen::Vector3d::Ones()) {
  try {
    const TriangleMesh mesh = load_mesh(path, scale);
    return "accepted " + std::to_string(mesh.triangles.size()) + " triangles";
  } catch (const InputError& error) {
    std::string message = error.what();
    if (const auto folder = message.rfind('/', message.find(": "));
        message.starts_with(path) && folder != std::string::npos) {
      message.erase(0, std::min(folder, path.rfind('/')) + 1);
    }
    return message;
  }
}

double signed_volume(const TriangleMesh& mesh) {
  double volume = 0.0;
  for (const auto& t : mesh.triangles) {
    volume += mesh.vertices[t[0]].dot(mesh.vertices[t[1]].cross(mesh.vertices[t[2]])) / 6.0;
  }
  return volume;
}

using Point = std::array<double, 3>;
using Corners = std::vector<std::array<Point, 3>>;

Corners corners(const TriangleMesh& mesh) {
  Corners all;
  for (const auto& t : mesh.triangles) {
    auto& triangle = all.emplace_back();
    for (std::size_t k = 0; k < 3; ++k) {
      const Eigen::Vector3d& v = mesh.vertices[static_cast<std::size_t>(t[k])];
      triangle[k] = {v.x(), v.y(), v.z()};
    }
  }
  return all;
}

// A COLLADA file: one triangle mesh of four vertices, with an asset element and nodes around it.
std::string collada(const std::string& asset, const std::string& nodes) {
  return R"(<?xml version="1.0" encoding="utf-8"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset>)" +
         asset + R"(</asset>
<library_geometries><geometry id="g" name="g"><mesh>
<source id="p"><float_array id="a" count="12">0 0 0 100 0 0 0 30 0 0 0 7</float_array>
<technique_common><accessor source="#a" count="4" stride="3"><param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="4"><input semantic="VERTEX" source="#v" offset="0"/><p>0 2 1 0 1 3 1 2 3 2 0 3</p></triangles>
</mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s">)" +
         nodes + R"(</visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>)";
}
constexpr const char* kInstance = R"(<instance_geometry url="#g"/>)";

std::string binary_stl(const std::string& header, std::uint32_t count) {
  std::string bytes = header;
  bytes.resize(80, ' ');
  bytes.append(reinterpret_cast<const char*>(&count), 4);
  for (std::uint32_t i = 0; i < count; ++i) {
    const float values[12] = {0, 0, 1, 0, 0, static_cast<float>(i), 1, 0, 0, 0, 1, 0};
    bytes.append(reinterpret_cast<const char*>(values), sizeof values);
    bytes.append(2, '\0');
  }
  return bytes;
}

TEST(MeshFile, GivesTheFacesThatAnotherReaderCounted) {
  CATENA_REQUIRE_DATA("data/SOURCES.md");
  const auto root = test::data_root() / "data";
  // assimp's command counts each mesh once and lines as faces; these files instance theirs, draw
  // lines, or hold degenerate faces, which stay here. Counted in the files' own text.
  const std::map<std::string, std::size_t> otherwise = {
      {"meshes/coal/staircases_koroibot_hr.dae", 1276},
      {"meshes/assimp/OBJ/spider.obj", 1368},
      {"scenes/omplapp/3D/Easy_robot.dae", 56},
      {"scenes/omplapp/3D/Easy_env.dae", 176},
      {"scenes/omplapp/3D/Twistycool_robot.dae", 56},
      {"scenes/omplapp/3D/Twistycool_env.dae", 176},
      {"scenes/omplapp/3D/Home_robot.dae", 120},
      {"scenes/omplapp/3D/Home_env.dae", 696},
      {"scenes/omplapp/3D/alpha_robot.dae", 2016},
      {"scenes/omplapp/3D/alpha_env-1.0.dae", 2016},
      {"scenes/omplapp/2D/Barriers_easy_env.dae", 632},
      {"scenes/omplapp/2D/Barriers_easy_robot.dae", 100},
  };
  std::ifstream sources(root / "SOURCES.md");
  std::string line;
  int files = 0;
  while (std::getline(sources, line)) {
    if (!line.starts_with("| ")) continue;
    const std::string name = line.substr(2, line.find(" |") - 2);
    const std::size_t faces = line.find(" faces, ");
    if (faces == std::string::npos || name.find(' ') != std::string::npos) continue;
    const std::size_t start = line.find_last_not_of("0123456789", faces - 1) + 1;
    std::size_t expected = std::stoul(line.substr(start, faces - start));
    if (const auto other = otherwise.find(name); other != otherwise.end()) expected = other->second;
    if (!std::filesystem::is_regular_file(root / name)) continue;
    ++files;
    EXPECT_EQ(message_of((root / name).string()),
              "accepted " + std::to_string(expected) + " triangles")
        << name;
  }
  EXPECT_GT(files, 50);
}

TEST(MeshFile, KeepsTheCoordinatesThatTheFileGives) {
  const TemporaryFolder folder;
  const TriangleMesh mesh = load_mesh(folder.write("t.obj", kTetrahedron));
  EXPECT_EQ(mesh.triangles.size(), 4u);
  EXPECT_EQ(mesh.vertex_error, 0.0);
  EXPECT_DOUBLE_EQ(signed_volume(mesh), 1.0 / 6.0);
}

TEST(MeshFile, DropsUnusedVerticesAndKeepsTrianglesWithoutArea) {
  const TemporaryFolder folder;
  const TriangleMesh mesh = load_mesh(
      folder.write("t.obj", std::string(kTetrahedron) + "v 1000 1000 1000\nf 1 1 2\nf 2 2 2\n"));
  EXPECT_EQ(mesh.triangles.size(), 6u);
  for (const auto& v : mesh.vertices) EXPECT_LE(v.maxCoeff(), 1.0);
}

TEST(MeshFile, IgnoresLinesPointsMaterialsAndByteOrderMarks) {
  const TemporaryFolder folder;
  EXPECT_EQ(message_of(folder.write("a.obj", "mtllib none.mtl\nusemtl x\n" +
                                                 std::string(kTetrahedron) + "l 1 2\np 3\n")),
            "accepted 4 triangles");
  const std::string with_mark = folder.write("b.obj", "\xEF\xBB\xBF" + std::string(kTetrahedron));
  EXPECT_DOUBLE_EQ(signed_volume(load_mesh(with_mark)), 1.0 / 6.0);
  const std::string crlf = folder.write("c.obj", "v 0 0 0\r\nv 1 0 0\r\nv 0 1 0\r\nf 1 2 3\r\n");
  EXPECT_EQ(message_of(crlf), "accepted 1 triangles");
}

TEST(MeshFile, TellsBinaryFromAsciiStl) {
  const TemporaryFolder folder;
  EXPECT_EQ(message_of(folder.write("a.stl", binary_stl("solid but binary", 3))),
            "accepted 3 triangles");
  EXPECT_EQ(message_of(folder.write(
                "b.STL",
                "solid x\n facet normal 0 0 1\n  outer loop\n   vertex 0 0 0\n   vertex 1 "
                "0 0\n   vertex 0 1 0\n  endloop\n endfacet\nendsolid x\n")),
            "accepted 1 triangles");
}

// Property: the stored vertex is within vertex_error of the exact scale * (s * v).
TEST(MeshFile, CountsTheRoundingOfTheScale) {
  const TemporaryFolder folder;
  const std::string path = folder.write("t.obj", "v 0.1 0.2 0.7\nv 3.3 0 0\nv 0 1 0\nf 1 2 3\n");
  const TriangleMesh raw = load_mesh(path);
  const Eigen::Vector3d scale(0.001, -0.3, 7.7);
  const TriangleMesh scaled = load_mesh(path, scale);
  EXPECT_GT(scaled.vertex_error, 0.0);
  EXPECT_LT(scaled.vertex_error, 1e-15);
  for (std::size_t i = 0; i < raw.vertices.size(); ++i) {
    Exact squared = 0;
    for (int k = 0; k < 3; ++k) {
      const Exact d = Exact(raw.vertices[i][k]) * Exact(scale[k]) - Exact(scaled.vertices[i][k]);
      squared += d * d;
    }
    EXPECT_LE(squared, Exact(scaled.vertex_error) * Exact(scaled.vertex_error));
  }
}

TEST(MeshFile, KeepsOutsidesOutsideWhenMirrored) {
  const TemporaryFolder folder;
  const std::string path = folder.write("t.obj", kTetrahedron);
  EXPECT_NEAR(signed_volume(load_mesh(path, {-1, 1, 1})), 1.0 / 6.0, 1e-15);
  EXPECT_NEAR(signed_volume(load_mesh(path, {-2, -1, 1})), 2.0 / 6.0, 1e-15);
  const std::string node = collada("", std::string("<node><matrix>-1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1"
                                                   "</matrix>") +
                                           kInstance + "</node>");
  EXPECT_NEAR(signed_volume(load_mesh(folder.write("m.dae", node))), 100.0 * 30 * 7 / 6, 1e-9);
}

TEST(MeshFile, AppliesTheUnitOfColladaInDoubleAndNeverItsUpAxis) {
  const TemporaryFolder folder;
  const std::string node = std::string("<node>") + kInstance + "</node>";
  for (const std::string up : {"X_UP", "Y_UP", "Z_UP"}) {
    const TriangleMesh mesh = load_mesh(folder.write(
        "t.dae",
        collada("<unit name=\"centimeter\" meter=\"0.01\"/><up_axis>" + up + "</up_axis>", node)));
    ASSERT_EQ(mesh.triangles.size(), 4u) << up;
    Eigen::Vector3d top = Eigen::Vector3d::Zero();
    for (const auto& v : mesh.vertices) top = top.cwiseMax(v);
    EXPECT_EQ(top, Eigen::Vector3d(100 * 0.01, 30 * 0.01, 7 * 0.01)) << up;  // not 0.01f
    EXPECT_LT(mesh.vertex_error, 1e-14);
  }
  EXPECT_EQ(load_mesh(folder.write("n.dae", collada("", node))).vertex_error, 0.0);
}

// Property: with nested node transforms the stored vertex is within vertex_error of the exact
// product of the (single precision) matrices, the unit and the scale.
TEST(MeshFile, CountsTheRoundingOfNodeTransforms) {
  const TemporaryFolder folder;
  std::mt19937 rng(11);
  std::uniform_real_distribution<float> entry(-3.0F, 3.0F);
  for (int trial = 0; trial < 20; ++trial) {
    std::string open, close;
    std::vector<std::vector<Exact>> chain;
    for (int depth = 0; depth < 3; ++depth) {
      std::ostringstream matrix;
      matrix.precision(9);
      std::vector<Exact> m;
      for (int k = 0; k < 12; ++k) {
        // Twelve bits are exact in the file, in single precision and in the library's parser.
        const float x = std::round(entry(rng) * 256.0F) / 256.0F;
        matrix << x << ' ';
        m.push_back(Exact(x));
      }
      open += "<node><matrix>" + matrix.str() + "0 0 0 1</matrix>";
      close += "</node>";
      chain.push_back(m);
    }
    const Eigen::Vector3d scale(0.3, 0.7, 1.1);
    const TriangleMesh mesh = load_mesh(
        folder.write("t.dae", collada("<unit meter=\"0.0254\"/>", open + kInstance + close)),
        scale);
    ASSERT_EQ(mesh.triangles.size(), 4u);
    EXPECT_LT(mesh.vertex_error, 1e-11);
    const double corners[4][3] = {{0, 0, 0}, {100, 0, 0}, {0, 30, 0}, {0, 0, 7}};
    for (const auto& corner : corners) {
      std::vector<Exact> x = {corner[0], corner[1], corner[2]};
      for (auto m = chain.rbegin(); m != chain.rend(); ++m) {
        std::vector<Exact> y;
        for (int r = 0; r < 3; ++r) {
          y.push_back((*m)[4 * r] * x[0] + (*m)[4 * r + 1] * x[1] + (*m)[4 * r + 2] * x[2] +
                      (*m)[4 * r + 3]);
        }
        x = y;
      }
      Exact nearest = 1e9;
      for (const auto& v : mesh.vertices) {
        Exact squared = 0;
        for (int k = 0; k < 3; ++k) {
          const Exact d = x[k] * Exact(0.0254) * Exact(scale[k]) - Exact(v[k]);
          squared += d * d;
        }
        nearest = std::min(nearest, squared);
      }
      EXPECT_LE(nearest, Exact(mesh.vertex_error) * Exact(mesh.vertex_error)) << "trial " << trial;
    }
  }
}

TEST(MeshFile, SaysWhatIsWrong) {
  const TemporaryFolder folder;
  const auto say = [&](const std::string& name, const std::string& text) {
    return message_of(folder.write(name, text));
  };
  EXPECT_EQ(message_of(folder.path().string() + "/none.stl"),
            "none.stl: there is no such file; check the path");
  EXPECT_EQ(message_of(folder.path().string()).find("this is a folder") != std::string::npos, true);
  EXPECT_EQ(say("a.stl", ""), "a.stl: the file is empty; export the mesh again");
  EXPECT_EQ(say("a.stl", "solid Empty\nendsolid Empty"),
            "a.stl: no triangles; export a mesh with faces");
  EXPECT_EQ(say("a.stl", binary_stl("x", 3).substr(0, 200)),
            "a.stl: header: 3 triangles need 234 bytes, but the file has 200; export the mesh "
            "again; it may have been cut short");
  EXPECT_EQ(say("a.stl", "short"),
            "a.stl: neither an ASCII STL (no \"solid\") nor a binary one (under 84 bytes); export "
            "the mesh again");
  EXPECT_EQ(say("a.obj", "v 0 0 0\nv 1 0 0\n"), "a.obj: no triangles; export a mesh with faces");
  EXPECT_EQ(say("a.obj", "v 0 0 0\nv 1 0 0\nf 1 2\n"),
            "a.obj:3: f: a face with fewer than three corners; give at least three");
  EXPECT_EQ(say("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n"),
            "a.obj:4: f: vertex 9 is not there; correct the index");
  EXPECT_EQ(say("a.obj", "v 0 0 0\nv 1 0 0 1 1\nv 0 1 0\nf 1 2 3\n"),
            "a.obj:2: v: 5 numbers, which are no vertex; give x, y and z");
  EXPECT_EQ(say("a.stl", "solid x\nfacet normal 0 0 1\nvertex 0 0 0\nvertex 1 0 0\nendsolid x\n"),
            "a.stl:2: facet: 2 vertices where 3 are needed; correct the facet, or export the mesh "
            "again");
  EXPECT_EQ(say("a.obj", "v 0 0 0\nv 1 0 nan\nv 0 1 0\nv 1 1 nan\nf 1 2 3\n"),
            "a.obj: mesh \"defaultobject\" vertex 1: a triangle uses it, and its coordinates (1, "
            "0, nan) are not finite; correct the mesh");
  EXPECT_EQ(say("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 nan\nf 1 2 3\n"),
            "accepted 1 triangles");
  EXPECT_NE(say("a.dae", collada("<unit meter=\"0\"/>", "")).find("is not a positive number"),
            std::string::npos);
  EXPECT_NE(say("a.dae", "<COLLADA").find("correct the XML there"), std::string::npos);
  EXPECT_EQ(say("a.dae", "<a/>"), "a.dae: the root element is not <COLLADA>; give a COLLADA file");
  const auto say_changed = [&](const std::string& from, const std::string& to) {
    std::string text = collada("", std::string("<node>") + kInstance + "</node>");
    text.replace(text.find(from), from.size(), to);
    return say("a.dae", text);
  };
  EXPECT_EQ(say_changed("url=\"#g\"", "url=\"#h\""),
            "a.dae:10: <instance_geometry>: url=\"#h\" is not in this file; correct it, or put the "
            "part into this file");
  EXPECT_EQ(say_changed("count=\"12\"", "count=\"13\""),
            "a.dae:5: <float_array>: it holds 12 numbers, not its count; correct the count");
  EXPECT_EQ(say_changed("count=\"4\"", "count=\"5\""),
            "a.dae:6: <accessor>: it reads past the end of array \"a\"; correct its count and "
            "stride");
  EXPECT_EQ(say_changed("<p>0", "<p>x"), "a.dae:8: <p>: \"x\" is not an index; correct it");
  EXPECT_EQ(say_changed("<p>0", "<p>9"),
            "a.dae:8: <p>: index 9 is not one of 4 vertices; correct it");
  EXPECT_EQ(say_changed("<p>0 2", "<p>2"),
            "a.dae:8: <triangles>: a triangle that ends early; correct its <p>");
  EXPECT_EQ(say_changed("triangles count=\"4\"", "triangles count=\"5\""),
            "a.dae:8: <triangles>: it holds 4 parts, not its count; correct the count");
  EXPECT_EQ(say_changed("source=\"#v\"", "source=\"#p\""),
            "a.dae:8: <input>: source=\"#p\" is not in this file; correct it, or put the part into "
            "this file");
  EXPECT_EQ(say("a.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n"),
            "a.off:6: a face names a vertex that is not there; correct the index");
  EXPECT_EQ(say("a.off", "OFF\n3 2 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n"),
            "a.off:2: 3 vertices and 2 faces are announced, but the file ends after 4 lines of "
            "them; export the mesh again");
  EXPECT_EQ(say("a.ply", "ply\nformat ascii 1.0\n"),
            "a.ply:2: header: no end_header line; save the file again");
  EXPECT_EQ(say("a.fbx", "hello"),
            "a.fbx: \".fbx\" is not the ending of a mesh format that is read; convert it to one of "
            "STL, OBJ, PLY, OFF, COLLADA (.dae)");
  EXPECT_EQ(say("a", "hello"),
            "a: a mesh without an ending, which would name its format; convert it to one of STL, "
            "OBJ, PLY, OFF, COLLADA (.dae)");
  EXPECT_EQ(say("a.ply",
                "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\n"
                "property float z\nend_header\n0 0 0\n")
                .starts_with("a.ply: "),
            true);

  const std::string good = folder.write("t.obj", kTetrahedron);
  EXPECT_EQ(message_of(good, {1, 0, 1}),
            "t.obj: scale: 1 0 1 has a factor that is zero or not finite; give three finite "
            "factors other than 0");
  EXPECT_NE(message_of(good, {1, std::nan(""), 1}).find("not finite"), std::string::npos);
}

// Property: an OBJ with bytes 0 anywhere is refused. (The mesh library alone reads past the end of
// such a line, and to pass over it could lose a face.)
TEST(MeshFile, RefusesNulBytesInAnObj) {
  const TemporaryFolder folder;
  const std::string text = kTetrahedron;
  for (std::size_t at = 0; at <= text.size(); ++at) {
    for (const std::size_t many : {1, 5000}) {
      std::string damaged = text;
      damaged.insert(at, many, '\0');
      ASSERT_EQ(message_of(folder.write("n.obj", damaged)),
                "n.obj: it holds bytes 0, as text in UTF-16 does; save it as UTF-8")
          << "byte " << at;
    }
  }
}

// Property: the statements that shift later indices when they are passed over are not passed over.
TEST(MeshFile, ReadsEveryFormOfAnObjStatement) {
  const TemporaryFolder folder;
  const TriangleMesh mesh = load_mesh(folder.write(
      "s.obj",
      "# t\ncstype bezier\n  v 0 0 0 # first\nv 1 0 0 0.5 0.5 0.5 1\nend\nv 0 2 0 2\nv\t0 \\\n 0 "
      "1\n"
      "vt 0 0\nvn 0 0 1\nf 1//1 3//1 2//1 # bottom\nf -4/1/1 -3/1 -1\nf 2 \\\n3 4\nfo 3 1 4"));
  const Point o{0, 0, 0}, x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1};
  EXPECT_EQ(corners(mesh), (Corners{{o, y, x}, {o, x, z}, {x, y, z}, {y, o, z}}));
  EXPECT_DOUBLE_EQ(signed_volume(mesh), 1.0 / 6.0);
}

// Property: a number with more digits than the mesh library's reader holds keeps its value.
TEST(MeshFile, ReadsNumbersOfAnyLength) {
  const TemporaryFolder folder;
  const std::string zeros(5000, '0');
  const TriangleMesh mesh = load_mesh(
      folder.write("l.obj", "v 0." + std::string(300, '0') + "1 0 0\nv 1" + std::string(21, '0') +
                                ".0 0 0\nv 0 1." + zeros + " 0\nf 1 2 3\n"));
  Eigen::Vector3d top = Eigen::Vector3d::Zero();
  for (const auto& v : mesh.vertices) top = top.cwiseMax(v);
  EXPECT_FLOAT_EQ(static_cast<float>(top.x()), 1e21F);
  EXPECT_EQ(top.y(), 1.0);
  // Twenty digits before the point and more, which fit no integer of the mesh library.
  for (const std::string x : {"12345678901234567890", "98765432109876543210.5",
                              "123456789012345678901", "-1234567890123456789012"}) {
    const TriangleMesh large =
        load_mesh(folder.write("large.obj", "v " + x + " 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\n"));
    double reach = 0.0;
    for (const auto& v : large.vertices) reach = std::max(reach, std::abs(v.x()));
    EXPECT_NEAR(reach / std::abs(std::stod(x)), 1.0, 1e-6) << x;
  }
}

// Writers give integers a point or an exponent; none of that may move a corner.
TEST(MeshFile, ReadsIntegersOfAPlyHoweverTheyAreWritten) {
  const TemporaryFolder folder;
  const auto tetrahedron = [](const std::string& type, const std::array<std::string, 4>& n) {
    const auto face = [&](int a, int b, int c) {
      return n[3] + ' ' + n[static_cast<size_t>(a)] + ' ' + n[static_cast<size_t>(b)] + ' ' +
             n[static_cast<size_t>(c)] + '\n';
    };
    std::string text = "ply\nformat ascii 1.0\nelement vertex 4\n";
    for (const char* axis : {"x", "y", "z"}) text += "property " + type + ' ' + axis + '\n';
    text += "element face 4\nproperty list uchar int vertex_indices\nend_header\n";
    const std::string zero = n[0], one = n[1];
    for (int k = 0; k < 4; ++k)
      for (int i = 1; i < 4; ++i) text += (i == k ? one : zero) + (i < 3 ? ' ' : '\n');
    return text + face(0, 2, 1) + face(0, 1, 3) + face(1, 2, 3) + face(2, 0, 3);
  };
  const std::array<std::string, 4> forms[] = {{"0", "1", "2", "3"},
                                              {"0.0", "1.0", "2.0", "3.0"},
                                              {"0e0", "1e0", "2e0", "3e0"},
                                              {"0.000e+00", "1.000e+00", "2.000e+00", "3.000e+00"},
                                              {"+0", "+1", "+2", "+3"}};
  for (const char* type : {"float", "double", "int", "short"}) {
    for (const auto& form : forms) {
      const TriangleMesh mesh = load_mesh(folder.write("t.ply", tetrahedron(type, form)));
      EXPECT_TRUE(is_closed(mesh)) << type << ' ' << form[3];
      EXPECT_EQ(signed_volume(mesh), 1.0 / 6.0) << type << ' ' << form[3];
    }
  }
  // What header and data do not tell alike is refused.
  std::string doubtful = tetrahedron("float", forms[0]);
  doubtful.replace(doubtful.find("uchar int"), 9, "float int");
  EXPECT_NE(message_of(folder.write("f.ply", doubtful)).find("count in integers"),
            std::string::npos);
  doubtful = tetrahedron("float", forms[0]);
  doubtful.replace(doubtful.find("float z"), 7, "float x");
  EXPECT_NE(message_of(folder.write("x.ply", doubtful)).find("x, y and z"), std::string::npos);
  doubtful = tetrahedron("float", {"0", "1.5", "2", "3"});
  EXPECT_NE(message_of(folder.write("h.ply", doubtful)).find("not an integer"), std::string::npos);
}

TEST(MeshFile, RefusesRealFilesThatHoldNoTriangle) {
  CATENA_REQUIRE_DATA("data/meshes");
  const auto meshes = test::data_root() / "data/meshes";
  for (const char* name : {"trimesh/empty.stl", "trimesh/points_ascii.ply"}) {
    EXPECT_NE(message_of((meshes / name).string()).find("no triangles"), std::string::npos) << name;
  }
  EXPECT_NE(message_of((meshes / "assimp/OBJ/box_UTF16BE.obj").string()).find("UTF-16"),
            std::string::npos);
  CATENA_REQUIRE_DATA("cases/c08_nan_and_degenerate");
  EXPECT_NE(
      message_of(
          (test::data_root() / "cases/c08_nan_and_degenerate/meshes/nan_vertex_cube.obj").string())
          .find("nan_vertex_cube.obj: mesh"),
      std::string::npos);
}

// Property: whatever becomes of a file, it loads with finite vertices and indices that exist, or it
// is refused by an InputError.
TEST(MeshFile, SurvivesDamage) {
  const TemporaryFolder folder;
  const std::map<std::string, std::string> seeds = {
      {"a.obj", kTetrahedron},
      {"b.stl", binary_stl("b", 4)},
      {"c.stl",
       "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 "
       "0\nendloop\nendfacet\nendsolid x\n"},
      {"d.ply",
       "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float "
       "y\nproperty float z\nelement face 1\nproperty list uchar int "
       "vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n"},
      {"e.dae", collada("<unit meter=\"0.01\"/>", std::string("<node>") + kInstance + "</node>")},
      {"f.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n"},
  };
  std::mt19937 rng(5);
  for (const auto& [name, text] : seeds) {
    ASSERT_TRUE(message_of(folder.write(name, text)).starts_with("accepted")) << name;
    for (int trial = 0; trial < 150; ++trial) {
      const std::string damaged = test::damaged(text, rng);
      SCOPED_TRACE(name + " seed 5 trial " + std::to_string(trial));
      try {
        const TriangleMesh mesh = load_mesh(folder.write(name, damaged));
        for (const auto& v : mesh.vertices) ASSERT_TRUE(v.allFinite());
        for (const auto& t : mesh.triangles) {
          for (const int k : t) ASSERT_LT(static_cast<std::size_t>(k), mesh.vertices.size());
        }
      } catch (const InputError&) {
      }
    }
  }
}

// ---- every form of a COLLADA file, with the tetrahedron (0,0,0), (1,0,0), (0,1,0), (0,0,1)

constexpr const char* kTriangles =
    R"(<triangles count="4"><input semantic="VERTEX" source="#v" offset="0"/>
<p>0 2 1 0 1 3 1 2 3 2 0 3</p></triangles>)";
constexpr const char* kPositions =
    R"(<float_array id="a" count="12">0 0 0 1 0 0 0 1 0 0 0 1</float_array>
<technique_common><accessor source="#a" count="4" stride="3"><param name="X" type="float"/>
<param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common>)";
constexpr const char* kNode = R"(<node><instance_geometry url="#g"/></node>)";

std::string tetrahedron(const std::string& faces, const std::string& nodes = kNode,
                        const std::string& libraries = "",
                        const std::string& positions = kPositions) {
  return R"(<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<library_geometries><geometry id="g"><mesh><source id="p">)" +
         positions +
         R"(</source><vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
)" + faces +
         "</mesh></geometry></library_geometries>" + libraries +
         R"(<library_visual_scenes><visual_scene id="s">)" + nodes +
         R"(</visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>)";
}

// Its corners in increasing order, after making sure that it is closed and turned outwards.
std::vector<Point> corners_of_solid(const std::string& text) {
  const TemporaryFolder folder;
  const TriangleMesh mesh = load_mesh(folder.write("t.dae", text));
  EXPECT_EQ(mesh.triangles.size(), 4u);
  EXPECT_TRUE(is_closed(mesh));
  EXPECT_NEAR(signed_volume(mesh), 1.0 / 6.0, 1e-6);
  std::vector<Point> points;
  for (const auto& triangle : corners(mesh)) {
    points.insert(points.end(), triangle.begin(), triangle.end());
  }
  std::sort(points.begin(), points.end());
  points.erase(std::unique(points.begin(), points.end()), points.end());
  return points;
}

const std::vector<Point> kSorted = {{0, 0, 0}, {0, 0, 1}, {0, 1, 0}, {1, 0, 0}};

// Property: however the faces are written, they are the same solid, its outside outside.
TEST(ColladaForms, EveryKindOfFacesGivesTheSameSolid) {
  const std::string input = R"(<input semantic="VERTEX" source="#v" offset="0"/>)";
  // A second index for each corner, as files with normals have it; the vertex is the later one.
  const std::string second = R"(<input semantic="NORMAL" source="#p" offset="0"/>
<input semantic="VERTEX" source="#v" offset="1"/>)";
  const std::vector<std::string> forms = {
      kTriangles,
      "<triangles count=\"4\">" + second +
          "<p>3 0 3 2 3 1 2 0 2 1 2 3 0 1 0 2 0 3 1 2 1 0 1 3</p></triangles>",
      "<polylist count=\"4\">" + input +
          "<vcount>3 3 3 3</vcount><p>0 2 1 0 1 3 1 2 3 2 0 3</p></polylist>",
      "<polygons count=\"4\">" + input +
          "<p>0 2 1</p><p>0 1 3</p><p>1 2 3</p><p>2 0 3</p></polygons>",
      "<tristrips count=\"1\">" + input + "<p>0 2 1 3 0 2</p></tristrips>",
      "<tristrips count=\"2\">" + input + "<p>0 2 1 3</p><p>1 3 0 2</p></tristrips>",
      "<tristrips count=\"2\">" + second +
          "<p>9 0 9 2 9 1</p><p>9 0 9 1 9 3 9 2 9 0</p></tristrips>",
      "<trifans count=\"2\">" + input + "<p>3 0 1 2 0</p><p>0 2 1</p></trifans>",
      "<trifans count=\"1\">" + input + "<p>0 2 1 3 2</p></trifans><triangles count=\"1\">" +
          input + "<p>1 2 3</p></triangles>",
  };
  for (const std::string& form : forms) {
    SCOPED_TRACE(form);
    EXPECT_EQ(corners_of_solid(tetrahedron(form)), kSorted);
  }
}

// Property: every second triangle of a strip is turned, each <p> from its own start; a fan keeps
// its first corner.
TEST(ColladaForms, StripsAlternateAndFansDoNot) {
  const TemporaryFolder folder;
  const Point o{0, 0, 0}, x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1};
  const std::string input = R"(<input semantic="VERTEX" source="#v" offset="0"/>)";
  const auto read = [&](const std::string& faces) {
    return corners(load_mesh(folder.write("t.dae", tetrahedron(faces))));
  };
  EXPECT_EQ(read("<tristrips>" + input + "<p>0 1 2 3 0 1</p><p>3 2 1 0</p></tristrips>"),
            (Corners{{o, x, y}, {y, x, z}, {y, z, o}, {o, z, x}, {z, y, x}, {x, y, o}}));
  EXPECT_EQ(read("<trifans>" + input + "<p>0 1 2 3 1</p></trifans>"),
            (Corners{{o, x, y}, {o, y, z}, {o, z, x}}));
}

TEST(ColladaForms, CoordinatesAreFoundByTheirNames) {
  const auto positions = [](const std::string& numbers, int stride, const std::string& params) {
    std::string text = "<float_array id=\"a\" count=\"" + std::to_string(4 * stride) + "\">" +
                       numbers + "</float_array><technique_common><accessor source=\"#a\" " +
                       "count=\"4\" stride=\"" + std::to_string(stride) + "\">";
    for (const char name : params) {
      text += name == '-' ? std::string("<param type=\"float\"/>")
                          : "<param name=\"" + std::string(1, name) + "\" type=\"float\"/>";
    }
    return text + "</accessor></technique_common>";
  };
  for (const std::string& text :
       {positions("0 0 0 0 1 0 0 0 1 1 0 0", 3, "ZXY"),  // vertices o, x, y, z
        positions("0 0 0 0 0 1 0 1 0 1 0 0", 3, "ZYX"),
        positions("7 0 0 0 7 1 0 0 7 0 1 0 7 0 0 1", 4, "-XYZ"),
        positions("0 0 7 0 0 0 7 1 1 0 7 0 0 1 7 0", 4, "YZ-X"),
        positions("0 0 0 1 0 0 0 1 0 0 0 1", 3, "")}) {
    SCOPED_TRACE(text);
    EXPECT_EQ(corners_of_solid(tetrahedron(kTriangles, kNode, "", text)), kSorted);
  }
}

// Property: a node or a skin that is instanced stands where the nodes above it put it.
TEST(ColladaForms, InstancesStandWhereTheirNodesAre) {
  const std::string nodes = R"(<library_nodes><node id="n"><translate>0 0 4</translate>
<instance_geometry url="#g"/></node></library_nodes>)";
  const std::vector<Point> moved = {{2, 0, 4}, {2, 0, 5}, {2, 1, 4}, {3, 0, 4}};
  EXPECT_EQ(corners_of_solid(tetrahedron(
                kTriangles, "<node><translate>2 0 0</translate><instance_node url=\"#n\"/></node>",
                nodes)),
            moved);
  const auto skinned = [](const std::string& bind_shape) {
    return tetrahedron(kTriangles,
                       "<node><translate>2 0 4</translate><instance_controller url=\"#c\"/></node>",
                       "<library_controllers><controller id=\"c\"><skin source=\"#g\">" +
                           bind_shape + "</skin></controller></library_controllers>");
  };
  EXPECT_EQ(corners_of_solid(skinned("")), moved);
  EXPECT_EQ(corners_of_solid(skinned(
                "<bind_shape_matrix>1 0 0 0 0 1.0 0 0 0 0 1 0 0 0 0 1</bind_shape_matrix>")),
            moved);
  const TemporaryFolder folder;
  EXPECT_EQ(
      message_of(folder.write("t.dae", skinned("<bind_shape_matrix>1 0 0 5 0 1 0 0 0 0 1 0 0 0 0 1"
                                               "</bind_shape_matrix>"))),
      "t.dae:6: <bind_shape_matrix>: a skin that moves its mesh is not supported; export the "
      "mesh without its skeleton");
}

// Property: <lookat> is a rigid motion: -z goes to the interest point, and y towards up, also where
// up is neither of length one nor at right angles to the view; as for a <rotate> of any axis.
TEST(ColladaForms, LookatAndRotateAreRigidMotions) {
  const std::vector<Point> looked = {{0, 2, 3}, {1, 2, 2}, {1, 2, 3}, {1, 3, 3}};
  for (const std::string lookat : {"1 2 3  1 2 13  0 1 0", "1 2 3  1 2 4  0 5 0",
                                   "1 2 3  1 2 13  0 1 1", "1 2 3  1 2 3.5  0 2 -7"}) {
    SCOPED_TRACE(lookat);
    EXPECT_EQ(corners_of_solid(tetrahedron(
                  kTriangles,
                  "<node><lookat>" + lookat + "</lookat><instance_geometry url=\"#g\"/></node>")),
              looked);
  }
  const Point target[] = {{-1, 0, 0}, {0, 0, 0}, {0, 0, 1}, {0, 1, 0}};
  for (const std::string axis : {"0 0 1", "0 0 2", "0 0 0.125"}) {
    SCOPED_TRACE(axis);
    const std::vector<Point> turned = corners_of_solid(tetrahedron(
        kTriangles,
        "<node><rotate>" + axis + " 90</rotate><instance_geometry url=\"#g\"/></node>"));
    ASSERT_EQ(turned.size(), 4u);
    for (const Point& expected : target) {
      EXPECT_TRUE(std::any_of(turned.begin(), turned.end(), [&](const Point& p) {
        return std::abs(p[0] - expected[0]) < 1e-6 && std::abs(p[1] - expected[1]) < 1e-6 &&
               std::abs(p[2] - expected[2]) < 1e-6;
      }));
    }
  }
  const TemporaryFolder folder;
  for (const auto& [transform, problem] : std::map<std::string, std::string>{
           {"<lookat>1 2 3  1 2 3  0 1 0</lookat>",
            "<lookat>: the view has no direction, or up lies along it; give a <matrix>"},
           {"<lookat>1 2 3  1 2 4  0 0 -2</lookat>",
            "<lookat>: the view has no direction, or up lies along it; give a <matrix>"},
           {"<matrix>1 0 0 0 0 1 0 0 0 0 1 0 0 0 0.5 1</matrix>",
            "<matrix>: its last row is not 0 0 0 1; give an affine map"},
           {"<rotate>0 0 0 90</rotate>", "<rotate>: the axis is zero; give a direction"}}) {
    const std::string message = message_of(folder.write(
        "t.dae",
        tetrahedron(kTriangles, "<node>" + transform + "<instance_geometry url=\"#g\"/></node>")));
    EXPECT_TRUE(message.ends_with(problem)) << message;
  }
}

// Property: a node that instances itself, directly or through others, once or twice, is refused.
TEST(ColladaForms, RefusesNodesThatInstanceThemselves) {
  const TemporaryFolder folder;
  for (const std::string inside :
       {R"(<node id="n"><instance_geometry url="#g"/><instance_node url="#n"/></node>)",
        R"(<node id="n"><instance_node url="#n"/><instance_node url="#n"/></node>)",
        R"(<node id="n"><node><instance_node url="#m"/></node></node>
<node id="m"><instance_node url="#n"/></node>)"}) {
    const std::string message = message_of(
        folder.write("t.dae", tetrahedron(kTriangles, "<node><instance_node url=\"#n\"/></node>",
                                          "<library_nodes>" + inside + "</library_nodes>")));
    EXPECT_TRUE(message.ends_with(
        "<node>: too many nodes, or nodes that instance each other; simplify the scene"))
        << message;
  }
}

}  // namespace
}  // namespace catena::io
