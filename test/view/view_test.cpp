// Properties: the animation holds the motion that the engine checks; the page runs without a script
// error whatever the names are, and its picture is not blank; the glTF binary keeps the format's
// rules. Oracles: poses worked out by hand, a reader of our own for the binary, assimp, Chromium.

#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <set>
#include <sstream>
#include <tuple>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#ifdef CATENA_TEST_ASSIMP
#include <assimp/postprocess.h>
#include <assimp/scene.h>

#include <assimp/Importer.hpp>
#endif

#include "catena/model/robot_builder.hpp"
#include "catena/view/animation.hpp"

namespace catena::view {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// A folder of this test's own, removed at the end.
class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "catena_view_XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = name;
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  fs::path operator/(const std::string& name) const { return path_ / name; }

 private:
  fs::path path_;
};

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return std::move(text).str();
}

TriangleMesh tetrahedron(double size) {
  TriangleMesh mesh;
  mesh.vertices = {{0, 0, 0}, {size, 0, 0}, {0, size, 0}, {0, 0, size}};
  mesh.triangles = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}, {0, 1, 1}};  // one without area
  return mesh;
}

// Link i of `n` turns about z at the end of link i - 1; lengths 1. Every kind of geometry is used.
std::shared_ptr<const Robot> make_arm(int n, const std::string& link_name = "link") {
  RobotDescription d;
  d.name = "arm";
  const std::vector<std::shared_ptr<const Geometry>> shapes = {
      Geometry::make(Capsule{0.05, 0.8}),  Geometry::make(Box{{0.8, 0.1, 0.1}}),
      Geometry::make(Cylinder{0.05, 0.8}), Geometry::make(Cone{0.05, 0.8}),
      Geometry::make(Sphere{0.1}),         Geometry::make_mesh(tetrahedron(0.3))};
  for (int i = 0; i <= n; ++i) {
    LinkDescription link;
    link.name = link_name + std::to_string(i);
    const auto& shape = shapes[static_cast<std::size_t>(i) % shapes.size()];
    link.collision.push_back({shape, RigidEnclosure::translation({0.5, 0, 0})});
    d.links.push_back(link);
    if (i == 0) continue;
    JointDescription joint;
    joint.name = "joint" + std::to_string(i);
    joint.type = JointType::kRevolute;
    joint.parent = link_name + std::to_string(i - 1);
    joint.child = link.name;
    joint.origin = RigidEnclosure::translation({1, 0, 0});
    joint.axis = Eigen::Vector3d::UnitZ();
    joint.lower = -7;
    joint.upper = 7;
    d.joints.push_back(joint);
  }
  return RobotBuilder::build(d);
}

std::shared_ptr<const Scene> make_scene(const std::string& prefix = "") {
  auto scene = std::make_shared<Scene>();
  scene->name = prefix + "yard";
  const auto at = [](double x, double y, double z) {
    return RigidEnclosure::translation({x, y, z});
  };
  const auto add = [&](const std::string& name, std::shared_ptr<const Geometry> g,
                       const RigidEnclosure& X) {
    scene->objects.push_back({prefix + name, {{std::move(g), X}}});
  };
  add("ground", Geometry::make(HalfSpace{{0, 0, 1}, -0.5}), at(0, 0, 0));
  add("post", Geometry::make(Cylinder{0.1, 1.0}), at(1.5, 1.5, 0));
  add("ball", Geometry::make(Sphere{0.2}), at(0, 2, 1));
  add("octree",
      Geometry::make_boxes({{{0, 0, 0}, {0.1, 0.1, 0.1}}, {{0.2, 0, 0}, {0.1, 0.1, 0.1}}}),
      at(2, -2, 0));
  add("cloud", Geometry::make_spheres({{0, 0, 0}, {0.1, 0, 0}, {0, 0.1, 0}}, 0.02), at(-1, 1, 0));
  add("rock", Geometry::make_mesh(tetrahedron(0.5)), at(-1, -1, 0));
  return scene;
}

Animation make_animation(int joints = 3, const std::string& link_name = "link",
                         const std::string& prefix = "") {
  Animation a;
  const auto robot = make_arm(joints, link_name);
  a.world = std::make_shared<CollisionWorld>(robot, make_scene(prefix));
  Eigen::VectorXd q = Eigen::VectorXd::Zero(robot->num_positions());
  a.waypoints.states.push_back(q);
  q.setConstant(0.4);
  a.waypoints.states.push_back(q);
  q[0] = 6.0;  // more than half a turn: quaternion signs must stay continuous
  a.waypoints.states.push_back(q);
  a.edge_verdicts = {Animation::EdgeVerdict::kFree, Animation::EdgeVerdict::kCollision};
  a.edge_labels = {"free, 0.0123 m", "collision"};
  a.summary = "two edges\nof an arm";
  a.contact = Animation::Contact{1.25, prefix + "post", link_name + "2", {1.4, 1.4, 0.1}};
  return a;
}

// ---- the page
// ------------------------------------------------------------------------------------

std::string page_of(const Animation& animation, const Folder& folder) {
  const fs::path path = folder / "view.html";
  write_html(animation, path.string());
  return read_file(path);
}

bool has_three_js() {
  Animation a = make_animation();
  try {
    write_html(a, "/dev/null");
  } catch (const std::runtime_error&) {
    return false;
  }
  return true;
}

#define REQUIRE_THREE_JS()                                       \
  if (!has_three_js())                                           \
  GTEST_SKIP() << "no three.min.js; install libjs-three or set " \
                  "CATENA_THREE_JS"

json data_of(const std::string& page) {
  static const std::string kOpen = "<script type=\"application/json\" id=\"data\">";
  const std::size_t begin = page.find(kOpen) + kOpen.size();
  return json::parse(page.substr(begin, page.find("</script>", begin) - begin));
}

TEST(Page, LoadsNothingFromElsewhere) {
  REQUIRE_THREE_JS();
  const Folder folder;
  const std::string page = page_of(make_animation(), folder);
  for (const char* forbidden : {" src=", "<link", "@import", "url("}) {
    // three.js itself may hold such words inside its strings: look only at what is ours.
    const std::size_t library = page.find("<script>", page.find("id=\"data\""));
    EXPECT_EQ(page.substr(0, library).find(forbidden), std::string::npos) << forbidden;
  }
}

TEST(Page, NamesCannotBecomeMarkupOrScript) {
  REQUIRE_THREE_JS();
  const Folder folder;
  const std::string evil = "</script><script>window.hacked=1</script><!--<img src=x onerror=y>&\"'";
  Animation a = make_animation(2, evil, evil);
  a.title = a.summary = evil + std::string("\xff\xfe");  // and bytes that are not UTF-8
  const std::string page = page_of(a, folder);
  EXPECT_EQ(page.find("<script>window.hacked"), std::string::npos);
  // Three elements of ours are closed: the data, the library, the page's script.
  std::size_t closed = 0;
  for (std::size_t i = page.find("</script"); i != std::string::npos;
       i = page.find("</script", i + 1)) {
    ++closed;
  }
  EXPECT_EQ(closed, 3u);
  EXPECT_EQ(page.find("<img"), std::string::npos);
  EXPECT_EQ(data_of(page)["bodies"][0]["name"], evil + "0");  // shown as it is
}

TEST(Page, TemplateMarksInNamesAreNotFilledIn) {
  REQUIRE_THREE_JS();
  const Folder folder;
  Animation a = make_animation();
  a.title = "{{three}} and {{data}}";
  EXPECT_EQ(data_of(page_of(a, folder))["title"], "{{three}} and {{data}}");
}

TEST(Page, MissingThreeJsIsAnErrorWithARemedy) {
  const Folder folder;
  HtmlOptions options;
  options.three_js = (folder / "nowhere.js").string();
  try {
    write_html(make_animation(), (folder / "view.html").string(), options);
    FAIL() << "no error";
  } catch (const std::runtime_error& e) {
    EXPECT_NE(
        std::string(e.what()).find("nowhere.js: three.js: cannot be read; install libjs-three"),
        std::string::npos)
        << e.what();
  }
  EXPECT_FALSE(fs::exists(folder / "view.html"));
}

TEST(Page, FolderThatIsMissingIsAnErrorThatNamesTheFile) {
  REQUIRE_THREE_JS();
  EXPECT_THROW(write_html(make_animation(), "/nonexistent/folder/view.html"), std::runtime_error);
  EXPECT_THROW(write_gltf(make_animation(), "/nonexistent/folder/view.glb"), std::runtime_error);
}

// A file size limit stands for the full disk.
TEST(Page, AFullDiskLeavesWhatStoodThere) {
  REQUIRE_THREE_JS();
  const Folder folder;
  const std::string page = (folder / "view.html").string(), binary = (folder / "view.glb").string();
  std::ofstream(page) << "before";
  struct rlimit before {};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = signal(SIGXFSZ, SIG_IGN);
  const struct rlimit full = {1000, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &full), 0);
  std::string message;
  try {
    write_html(make_animation(), page);
  } catch (const std::runtime_error& e) {
    message = e.what();
  }
  EXPECT_THROW(write_gltf(make_animation(), binary), std::runtime_error);
  setrlimit(RLIMIT_FSIZE, &before);
  signal(SIGXFSZ, handler);
  EXPECT_NE(message.find(page + ": the page cannot be written"), std::string::npos) << message;
  EXPECT_EQ(read_file(page), "before");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder / "."), fs::directory_iterator()), 1)
      << "something half-written is left";
  // With room again, the same file is replaced, and a link to it stays one.
  fs::create_symlink(page, folder / "link.html");
  write_html(make_animation(), (folder / "link.html").string());
  EXPECT_TRUE(fs::is_symlink(folder / "link.html"));
  EXPECT_GT(read_file(page).size(), 1000u);
}

TEST(Page, ALinkToAFileToComeStaysALinkAndNoOtherFileIsTouched) {
  const Folder folder;
  fs::create_directory(folder / "there");
  fs::create_symlink("there/view.glb", folder / "link.glb");
  std::ofstream(folder / "there/view.glb.part") << "someone else's";
  write_gltf(make_animation(), (folder / "link.glb").string());
  EXPECT_TRUE(fs::is_symlink(folder / "link.glb"));
  EXPECT_EQ(read_file(folder / "there/view.glb").substr(0, 4), "glTF");
  EXPECT_EQ(read_file(folder / "there/view.glb.part"), "someone else's");
}

TEST(Page, BadAnimationsAreRefused) {
  const Folder folder;
  const std::string path = (folder / "a.glb").string();
  const auto refused = [&](auto change) {
    Animation a = make_animation();
    change(a);
    EXPECT_THROW(write_gltf(a, path), std::invalid_argument);
  };
  refused([](Animation& a) { a.world = nullptr; });
  refused([](Animation& a) { a.waypoints.states.clear(); });
  refused([](Animation& a) { a.waypoints.states[1][0] = std::nan(""); });
  refused([](Animation& a) { a.waypoints.states[1].resize(1); });
  refused([](Animation& a) { a.waypoints.times = {0, 1}; });
  refused([](Animation& a) { a.waypoints.times = {0, 2, 1}; });
  refused([](Animation& a) { a.edge_labels = {"one"}; });
  refused([](Animation& a) { a.edge_verdicts.resize(1); });
  refused([](Animation& a) { a.edge_progress.resize(1); });
  refused([](Animation& a) { a.edge_progress = {{1.0, {}}, {0.5, 0.4}}; });
  refused([](Animation& a) { a.contact->edge_time = 2.5; });
  refused([](Animation& a) { a.contact->point[0] = std::nan(""); });
  EXPECT_FALSE(fs::exists(path));
}

// ---- the browser
// -----------------------------------------------------------------------------------

#ifndef CATENA_CHROMIUM
#define CATENA_CHROMIUM ""
#endif

#define REQUIRE_BROWSER()                   \
  REQUIRE_THREE_JS();                       \
  if (std::string(CATENA_CHROMIUM).empty()) \
  GTEST_SKIP() << "chromium was not found when the tests were configured"

// Runs the page in headless Chromium; what it wrote to stdout.
std::string run_chromium(const Folder& folder, const std::string& options,
                         const std::string& page) {
  // A profile folder of its own, so that a running browser is not asked to open the page instead.
  const std::string command =
      "timeout 120 " CATENA_CHROMIUM
      " --headless --no-sandbox --disable-gpu-sandbox --no-first-run"
      " --disable-dev-shm-usage --disable-background-networking --disable-component-update"
      " --use-gl=angle --use-angle=swiftshader --enable-unsafe-swiftshader"
      " --hide-scrollbars --window-size=1280,800 --virtual-time-budget=4000 --user-data-dir='" +
      (folder / "profile").string() + "' " + options + " '" + page + "' 2>'" +
      (folder / "log.txt").string() + "'";
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return "";
  std::string out;
  char buffer[65536];
  while (const std::size_t n = fread(buffer, 1, sizeof buffer, pipe)) out.append(buffer, n);
  pclose(pipe);
  return out;
}

json status_of(const std::string& dom) {
  static const std::string kOpen = "<pre id=\"status\" hidden=\"\">";
  const std::size_t begin = dom.find(kOpen);
  if (begin == std::string::npos) return nullptr;
  const std::size_t end = dom.find("</pre>", begin);
  return json::parse(dom.substr(begin + kOpen.size(), end - begin - kOpen.size()), nullptr, false);
}

TEST(Browser, DrawsTheSceneWithoutAScriptError) {
  REQUIRE_BROWSER();
  const Folder folder;
  const std::string evil = "<b>\"'&</script>";
  Animation still = make_animation();
  still.waypoints.states.resize(1);
  still.edge_labels.clear();
  still.edge_verdicts.clear();
  still.contact.reset();
  int number = 0;
  for (const Animation& a : {make_animation(), make_animation(3, evil, evil), still}) {
    const fs::path page = folder / ("view" + std::to_string(number++) + ".html");
    write_html(a, page.string());
    const json status =
        status_of(run_chromium(folder, "--dump-dom", "file://" + page.string() + "#play=0"));
    ASSERT_TRUE(status.is_object()) << "no status; log:\n" << read_file(folder / "log.txt");
    EXPECT_EQ(status["errors"], json::array());
    EXPECT_EQ(status["meshes"], 4 + 6);
    EXPECT_GE(status["frames"], a.waypoints.states.size());
    ASSERT_EQ(status["webgl"], true);
    EXPECT_GT(status["colours"], 100);  // a blank picture has one
  }
}

TEST(Browser, PlacesTheTipWhereTheArmIs) {
  REQUIRE_BROWSER();
  const Folder folder;
  const fs::path page = folder / "view.html";
  write_html(make_animation(), page.string());
  const json status =
      status_of(run_chromium(folder, "--dump-dom", "file://" + page.string() + "#edge=1.25"));
  ASSERT_TRUE(status.is_object()) << "no status; log:\n" << read_file(folder / "log.txt");
  // By hand: joint 1 is a quarter of the way from 0.4 to 6, the others stand at 0.4.
  const double first = 0.4 + 0.25 * 5.6;
  EXPECT_NEAR(status["tip"][0], 1 + std::cos(first) + std::cos(first + 0.4), 1e-3);
  EXPECT_NEAR(status["tip"][1], std::sin(first) + std::sin(first + 0.4), 1e-3);
  const double turn =
      2 * std::atan2(status["tip_turn"][2].get<double>(), status["tip_turn"][3].get<double>());
  EXPECT_NEAR(std::remainder(turn - (first + 0.8), 2 * std::numbers::pi), 0.0, 1e-3);
}

// Property: a colliding edge is red from its contact on, and green where it is proven free.
TEST(Browser, AnEdgeIsRedFromItsContactOn) {
  REQUIRE_BROWSER();
  const Folder folder;
  const fs::path page = folder / "view.html";
  Animation a = make_animation();
  a.edge_progress = {{1.0, {}}, {0.2, 0.25}};
  write_html(a, page.string());
  for (const auto& [edge_time, verdict, edge] :
       {std::tuple("0.5", "free", "0 (states 0 to 1), t = 0.500"),
        {"1.1", "free", "1 (states 1 to 2), t = 0.100"},
        {"1.22", "undecided", "1 (states 1 to 2), t = 0.220"},
        {"1.25", "collision", "1 (states 1 to 2), t = 0.250"},
        {"2", "collision", "1 (states 1 to 2), t = 1.000"}}) {
    const json status = status_of(run_chromium(
        folder, "--dump-dom", "file://" + page.string() + "#edge=" + std::string(edge_time)));
    ASSERT_TRUE(status.is_object()) << "no status; log:\n" << read_file(folder / "log.txt");
    EXPECT_EQ(status["errors"], json::array());
    EXPECT_EQ(status["verdict"], verdict) << edge_time;
    EXPECT_EQ(status["edge"], edge) << edge_time;
  }
}

TEST(Browser, TakesAPicture) {
  REQUIRE_BROWSER();
  const Folder folder;
  const fs::path page = folder / "view.html", picture = folder / "view.png";
  write_html(make_animation(), page.string());
  run_chromium(folder, "--screenshot='" + picture.string() + "'", "file://" + page.string());
  const std::string png = read_file(picture);
  ASSERT_EQ(png.substr(0, 8), "\x89PNG\r\n\x1a\n") << read_file(folder / "log.txt");
  // 1280 x 800 pixels of one colour compress to some 5 kB.
  EXPECT_GT(png.size(), 30'000u);
}

// ---- the glTF binary
// ---------------------------------------------------------------------------------

/// A reader of the format's rules that shares nothing with the writer.
struct Glb {
  json doc;
  std::string bin;

  explicit Glb(const std::string& file) {
    const auto word = [&](std::size_t at) {
      std::uint32_t w = 0;
      for (int i = 3; i >= 0; --i) w = w << 8 | std::uint8_t(file.at(at + std::size_t(i)));
      return w;
    };
    EXPECT_EQ(word(0), 0x46546c67u);
    EXPECT_EQ(word(4), 2u);
    EXPECT_EQ(word(8), file.size());
    const std::uint32_t length = word(12);
    EXPECT_EQ(word(16), 0x4e4f534au);
    EXPECT_EQ(length % 4, 0u);
    doc = json::parse(file.substr(20, length));
    const std::size_t next = 20 + length;
    EXPECT_EQ(word(next + 4), 0x004e4942u);
    EXPECT_EQ(word(next) % 4, 0u);
    bin = file.substr(next + 8);
    EXPECT_EQ(bin.size(), word(next));
    EXPECT_EQ(doc["buffers"][0]["byteLength"], bin.size());
  }

  static int width(const json& accessor) {
    const std::string type = accessor["type"];
    return type == "SCALAR" ? 1 : type[3] - '0';
  }

  std::vector<double> values(int index) const {
    const json& a = doc["accessors"].at(std::size_t(index));
    const json& view = doc["bufferViews"].at(a["bufferView"].get<std::size_t>());
    const std::size_t at = view["byteOffset"], n = a["count"].get<std::size_t>() * width(a);
    EXPECT_EQ(at % 4, 0u);
    EXPECT_EQ(view["byteLength"], 4 * n);
    EXPECT_LE(at + 4 * n, bin.size());
    std::vector<double> out;
    for (std::size_t i = 0; i < n; ++i) {
      if (a["componentType"] == 5126) {
        float f = 0;
        std::memcpy(&f, &bin[at + 4 * i], 4);
        EXPECT_TRUE(std::isfinite(f));
        out.push_back(f);
      } else {
        EXPECT_EQ(a["componentType"], 5125);
        std::uint32_t u = 0;
        std::memcpy(&u, &bin[at + 4 * i], 4);
        out.push_back(u);
      }
    }
    if (a.contains("min")) {
      for (int k = 0; k < width(a); ++k) {
        double lo = INFINITY, hi = -INFINITY;
        for (std::size_t i = std::size_t(k); i < n; i += std::size_t(width(a))) {
          lo = std::min(lo, out[i]);
          hi = std::max(hi, out[i]);
        }
        EXPECT_EQ(a["min"][std::size_t(k)].get<double>(), lo);
        EXPECT_EQ(a["max"][std::size_t(k)].get<double>(), hi);
      }
    }
    return out;
  }
};

void expect_valid(const Glb& glb) {
  const json& doc = glb.doc;
  EXPECT_EQ(doc["asset"]["version"], "2.0");
  for (const json& mesh : doc["meshes"]) {
    for (const json& p : mesh["primitives"]) {
      const int position = p["attributes"]["POSITION"], normal = p["attributes"]["NORMAL"];
      EXPECT_TRUE(doc["accessors"][std::size_t(position)].contains("min"));
      const auto points = glb.values(position), normals = glb.values(normal);
      ASSERT_EQ(points.size(), normals.size());
      for (std::size_t i = 0; i < normals.size(); i += 3) {
        EXPECT_NEAR(std::hypot(normals[i], normals[i + 1], normals[i + 2]), 1.0, 1e-6);
      }
      const auto indices = glb.values(p["indices"]);
      EXPECT_EQ(indices.size() % 3, 0u);
      EXPECT_GT(indices.size(), 0u);
      for (const double i : indices) EXPECT_LT(i, double(points.size() / 3));
      EXPECT_LT(p["material"].get<std::size_t>(), doc["materials"].size());
    }
  }
  std::vector<int> parents(doc["nodes"].size(), 0);
  for (const json& node : doc["nodes"]) {
    if (node.contains("rotation")) {
      double n = 0;
      for (const json& x : node["rotation"]) n += x.get<double>() * x.get<double>();
      EXPECT_NEAR(n, 1.0, 1e-12);
    }
    if (!node.contains("children")) continue;
    EXPECT_FALSE(node["children"].empty());
    for (const std::size_t child : node["children"]) ++parents.at(child);
  }
  for (const json& scene : doc["scenes"]) {
    for (const std::size_t root : scene["nodes"]) ++parents.at(root);
  }
  for (const int p : parents) EXPECT_EQ(p, 1);  // a forest, all of it in the scene

  for (const json& animation : doc.value("animations", json::array())) {
    std::set<std::pair<int, std::string>> targets;
    for (const json& channel : animation["channels"]) {
      const json& sampler = animation["samplers"].at(channel["sampler"].get<std::size_t>());
      const std::string path = channel["target"]["path"];
      EXPECT_TRUE(targets.insert({channel["target"]["node"], path}).second);
      const auto times = glb.values(sampler["input"]);
      EXPECT_TRUE(doc["accessors"][sampler["input"].get<std::size_t>()].contains("min"));
      for (std::size_t i = 1; i < times.size(); ++i) EXPECT_GT(times[i], times[i - 1]);
      EXPECT_GE(times.front(), 0.0);
      const auto values = glb.values(sampler["output"]);
      const std::size_t width = path == "rotation" ? 4 : 3;
      ASSERT_EQ(values.size(), width * times.size());
      if (path != "rotation") continue;
      for (std::size_t i = 0; i < values.size(); i += 4) {
        double norm = 0, dot = 0;
        for (std::size_t k = i; k < i + 4; ++k) {
          norm += values[k] * values[k];
          dot += i > 0 ? values[k] * values[k - 4] : 1.0;
        }
        EXPECT_NEAR(norm, 1.0, 1e-6);
        EXPECT_GT(dot, 0.0) << "a sign jump between two frames";
      }
    }
  }
}

TEST(Gltf, KeepsTheFormatsRules) {
  const Folder folder;
  const std::string path = (folder / "a.glb").string();
  Animation jumps = make_animation();
  jumps.waypoints.times = {10, 10, 11};  // an edge that takes no time
  Animation still = make_animation();
  still.waypoints.states.resize(1);
  still.edge_labels.clear();
  still.edge_verdicts.clear();
  still.contact.reset();
  const std::string evil = "\xff\"\\";
  for (const Animation& a : {make_animation(), jumps, still, make_animation(8, evil, evil)}) {
    write_gltf(a, path);
    expect_valid(Glb(read_file(path)));
  }
}

TEST(Gltf, LinksMoveAsTheArmDoes) {
  const Folder folder;
  const std::string path = (folder / "a.glb").string();
  Animation a = make_animation();
  a.waypoints.times = {0, 1, 3};
  write_gltf(a, path);
  const Glb glb(read_file(path));
  std::size_t checked = 0;
  for (const json& channel : glb.doc["animations"][0]["channels"]) {
    const json& sampler =
        glb.doc["animations"][0]["samplers"].at(channel["sampler"].get<std::size_t>());
    const std::string name =
        glb.doc["nodes"].at(channel["target"]["node"].get<std::size_t>())["name"];
    const int link = name.back() - '0';
    const auto times = glb.values(sampler["input"]), out = glb.values(sampler["output"]);
    for (std::size_t f = 0; f < times.size(); ++f) {
      // By hand: all joints go 0 -> 0.4 in the first second, then the first one goes to 6 in two.
      const double s = times[f];
      const double first = s <= 1 ? 0.4 * s : 0.4 + 5.6 * (s - 1) / 2;
      const double others = 0.4 * std::min(s, 1.0);
      double x = 0, y = 0, heading = 0;
      for (int l = 1; l <= link; ++l) {
        x += std::cos(heading);
        y += std::sin(heading);
        heading += l == 1 ? first : others;
      }
      if (channel["target"]["path"] == "translation") {
        EXPECT_NEAR(out[3 * f], x, 1e-6) << name << " at " << s;
        EXPECT_NEAR(out[3 * f + 1], y, 1e-6) << name << " at " << s;
      } else {
        const double turn = 2 * std::atan2(out[4 * f + 2], out[4 * f + 3]);
        EXPECT_NEAR(std::remainder(turn - heading, 2 * std::numbers::pi), 0.0, 1e-5) << name;
      }
      ++checked;
    }
  }
  EXPECT_GT(checked, 100u);
}

TEST(Gltf, ContactIsAFrameOfItsOwn) {
  const Folder folder;
  const std::string path = (folder / "a.glb").string();
  Animation a = make_animation();
  a.waypoints.times = {0, 1, 3};
  a.contact->edge_time = 1.2345678;
  write_gltf(a, path);
  const Glb glb(read_file(path));
  const auto times = glb.values(glb.doc["animations"][0]["samplers"][0]["input"].get<int>());
  const auto contact = static_cast<float>(1 + 2 * 0.2345678);
  EXPECT_EQ(std::count_if(times.begin(), times.end(),
                          [&](double t) { return std::abs(t - contact) < 1e-6; }),
            1);
}

TEST(Gltf, FarFromTheOriginNothingShakes) {
  // One link slides by 0.1 m, 200 km away: single precision steps by 16 mm there.
  RobotDescription d;
  d.name = "slider";
  d.links = {{"base", {}}, {"slide", {{Geometry::make(Sphere{0.1}), RigidEnclosure::identity()}}}};
  JointDescription joint;
  joint.name = "joint";
  joint.type = JointType::kPrismatic;
  joint.parent = "base";
  joint.child = "slide";
  joint.origin = RigidEnclosure::translation({100'000, 200'000, 0});
  joint.axis = Eigen::Vector3d::UnitX();
  joint.lower = 0;
  joint.upper = 1;
  d.joints = {joint};
  Animation a;
  a.world = std::make_shared<CollisionWorld>(RobotBuilder::build(d), std::make_shared<Scene>());
  a.waypoints.states = {Eigen::VectorXd::Constant(1, 0.0), Eigen::VectorXd::Constant(1, 0.1)};
  a.waypoints.times = {0, 1};
  const Folder folder;
  const std::string path = (folder / "a.glb").string();
  write_gltf(a, path);
  const Glb glb(read_file(path));
  const json& sampler = glb.doc["animations"][0]["samplers"][0];
  const auto times = glb.values(sampler["input"]), x = glb.values(sampler["output"]);
  for (std::size_t f = 0; f < times.size(); ++f) {
    EXPECT_NEAR(x[3 * f] - x[0], 0.1 * times[f], 1e-7);
  }
}

TEST(Gltf, AnotherReaderReadsIt) {
#ifndef CATENA_TEST_ASSIMP
  GTEST_SKIP() << "assimp was not found when the tests were configured";
#else
  const Folder folder;
  const std::string path = (folder / "a.glb").string();
  const Animation a = make_animation();
  write_gltf(a, path);
  Assimp::Importer importer;
  const aiScene* scene = importer.ReadFile(path, aiProcess_ValidateDataStructure);
  ASSERT_NE(scene, nullptr) << importer.GetErrorString();
  ASSERT_EQ(scene->mNumAnimations, 1u);
  EXPECT_EQ(scene->mAnimations[0]->mNumChannels, 3u);  // three links move
  ASSERT_NE(scene->mRootNode->FindNode("link3"), nullptr);
  // z of ours is y of glTF: the post stands along y there.
  const aiNode* post = scene->mRootNode->FindNode("post");
  ASSERT_NE(post, nullptr);
  aiMatrix4x4 X;
  for (const aiNode* n = post; n != nullptr; n = n->mParent) X = n->mTransformation * X;
  const aiMesh* mesh = scene->mMeshes[post->mMeshes[0]];
  double height = 0;
  for (unsigned i = 0; i < mesh->mNumVertices; ++i) {
    height = std::max(height, double((X * mesh->mVertices[i]).y));
  }
  EXPECT_NEAR(height, 0.5, 1e-6);
  const aiNode* ball = scene->mRootNode->FindNode("ball");
  ASSERT_NE(ball, nullptr);
  const aiMatrix4x4 up = scene->mRootNode->mTransformation * ball->mTransformation;
  EXPECT_NEAR(up.b4, 1.0, 1e-6);   // 1 m up
  EXPECT_NEAR(up.c4, -2.0, 1e-6);  // our y is glTF's -z
#endif
}

}  // namespace
}  // namespace catena::view
