#include <set>
#include <string>
#include <string_view>

#include "catena/io/input_error.hpp"
#include "io/scene_forms.hpp"

namespace catena::io {

namespace {

// MoveIt's own text form: words between blanks and line ends, but ids and the name take a line.
class Words {
 public:
  Words(std::string_view text, const std::string& path) : text_(text), path_(path) {}

  int line() const { return line_; }
  bool done() {
    skip_blanks();
    return at_ >= text_.size();
  }

  std::string rest_of_line() {
    const std::size_t end = std::min(text_.find('\n', at_), text_.size());
    std::string rest(text_.substr(at_, end - at_));
    at_ = end;
    const std::size_t first = rest.find_first_not_of(" \t\r");
    if (first == std::string::npos) return "";
    return rest.substr(first, rest.find_last_not_of(" \t\r") - first + 1);
  }

  std::string_view word(const std::string& what) {
    if (done()) fail(what, "the file ends here", "end it with a line that holds only \".\"");
    const std::size_t end = std::min(text_.find_first_of(" \t\r\n", at_), text_.size());
    const std::string_view word = text_.substr(at_, end - at_);
    at_ = end;
    return word;
  }

  double number(const std::string& what) {
    const std::string word_text(word(what));
    const std::optional<double> x = read_decimal(word_text);
    if (!x)
      fail(what, '"' + word_text.substr(0, 40) + "\" is not a finite number", "give a number");
    return *x;
  }

  std::size_t count(const std::string& what) {
    const double n = number(what);
    // Whatever is counted takes two bytes a piece at least, which bounds what is reserved for it.
    if (n < 0 || n != static_cast<double>(static_cast<std::size_t>(n)) ||
        n > static_cast<double>(text_.size())) {
      fail(what, show(n) + " is not a count that this file can hold", "correct the count");
    }
    return static_cast<std::size_t>(n);
  }

  Eigen::Vector3d vector3(const std::string& what) {
    const double x = number(what), y = number(what);
    return {x, y, number(what)};
  }

  // Where the words stand, for what complains about elements of documents.
  Element element(const std::string& name) {
    value_.line = line_;
    return Element(value_, path_, name);
  }

  [[noreturn]] void fail(const std::string& element, const std::string& problem,
                         const std::string& remedy) const {
    throw InputError(path_, line_, element, problem, remedy);
  }

  /// Whether the next line that is not empty holds several words; nothing is consumed.
  bool several_words_follow() {
    skip_blanks();
    const std::size_t end = std::min(text_.find('\n', at_), text_.size());
    std::string_view line = text_.substr(at_, end - at_);
    while (!line.empty() && (line.back() == ' ' || line.back() == '\r' || line.back() == '\t')) {
      line.remove_suffix(1);
    }
    return line.find_first_of(" \t") != std::string_view::npos;
  }

 private:
  void skip_blanks() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) < 4) {
      line_ += text_[at_] == '\n';
      ++at_;
    }
  }

  std::string_view text_;
  const std::string& path_;
  std::size_t at_ = 0;
  int line_ = 1;
  Value value_;
};

RigidEnclosure read_pose(Words& words, const std::string& what, Scene& scene) {
  const Eigen::Vector3d p = words.vector3(what + " position");
  const std::string turn = what + " quaternion";
  const double x = words.number(turn), y = words.number(turn), z = words.number(turn);
  const double w = words.number(turn);
  return pose_of(words.element(turn), p, {x, y, z, w}, scene.warnings);
}

double size_of(Words& words, const std::string& what, Scene& scene) {
  const double size = words.number(what);
  return io::size_of(size, words.element(what), scene.warnings);
}

std::shared_ptr<const Geometry> read_shape(Words& words, const std::string& what, Scene& scene) {
  const std::string type(words.word(what));
  if (type == "box") {
    const double x = size_of(words, what, scene), y = size_of(words, what, scene);
    return make_geometry(words.element(what), Box{{x, y, size_of(words, what, scene)}});
  }
  if (type == "sphere")
    return make_geometry(words.element(what), Sphere{size_of(words, what, scene)});
  if (type == "cylinder" || type == "cone") {
    const double radius = size_of(words, what, scene);
    const double length = size_of(words, what, scene);
    if (type == "cone") return make_geometry(words.element(what), Cone{radius, length});
    return make_geometry(words.element(what), Cylinder{radius, length});
  }
  if (type == "plane") {
    // a x + b y + c z + d = 0; the side where the left is negative counts as solid.
    const Eigen::Vector3d normal = words.vector3(what);
    const double d = words.number(what);
    if (normal.isZero(0.0)) words.fail(what, "a zero normal", "give a plane a b c d");
    return make_geometry(words.element(what), HalfSpace{normal, -d});
  }
  if (type == "mesh") {
    TriangleMesh mesh;
    const std::size_t vertices = words.count(what + " vertex count");
    const std::size_t triangles = words.count(what + " triangle count");
    mesh.vertices.reserve(vertices);
    for (std::size_t i = 0; i < vertices; ++i) {
      mesh.vertices.push_back(words.vector3(what) + Eigen::Vector3d::Zero());
    }
    mesh.triangles.reserve(triangles);
    for (std::size_t i = 0; i < triangles; ++i) {
      std::array<int, 3> triangle{};
      for (int& corner : triangle) {
        const double k = words.number(what);
        if (k < 0 || k >= static_cast<double>(vertices) || k != static_cast<int>(k)) {
          words.fail(what, show(k) + " is not the number of a vertex",
                     "give 0 to " + std::to_string(vertices) + " - 1");
        }
        corner = static_cast<int>(k);
      }
      mesh.triangles.push_back(triangle);
    }
    if (triangles == 0) words.fail(what, "no triangles", "give a mesh with faces");
    return make_mesh_geometry(words.element(what), std::move(mesh), MeshFilling::kDetect,
                              scene.warnings);
  }
  words.fail(what, "unknown shape \"" + type.substr(0, 40) + "\"",
             "known are box, sphere, cylinder, cone, plane, mesh");
}

}  // namespace

void read_scene_text(const std::string& text, SceneReader& reader) {
  Words words(text, reader.path);
  Scene& scene = reader.scene;
  scene.name = words.rest_of_line();
  std::set<std::string> names;
  std::optional<bool>
      has_poses;  // the newer form, told by the line after the first id as MoveIt does
  while (true) {
    const std::string_view marker = words.word("marker");
    if (marker == ".") break;
    if (marker != "*") {
      words.fail("marker",
                 '"' + std::string(marker.substr(0, 40)) + "\" is neither \"*\" nor \".\"",
                 "an object starts with \"* id\", and \".\" ends the file");
    }
    const std::string id = words.rest_of_line();
    if (id.empty()) words.fail("* id", "an empty name", "give each object a name");
    if (!names.insert(id).second) {
      words.fail("* id", "object \"" + id + "\" is given twice", "give each object its own id");
    }
    const std::string what = "object \"" + id + '"';
    if (!has_poses) has_poses = words.several_words_follow();
    RigidEnclosure X_WO;
    if (*has_poses) X_WO = read_pose(words, what, scene);
    SceneObject object{id, {}};
    const std::size_t shapes = words.count(what + " number of shapes");
    for (std::size_t i = 0; i < shapes; ++i) {
      const std::string shape = what + " shape " + std::to_string(i);
      const auto geometry = read_shape(words, shape, scene);
      const RigidEnclosure X_OG = read_pose(words, shape, scene);
      for (int k = 0; k < 4; ++k) words.number(shape + " colour");
      object.geometries.push_back({geometry, compose(X_WO, X_OG)});
    }
    if (*has_poses) {
      const std::size_t subframes = words.count(what + " number of subframes");
      for (std::size_t i = 0; i < subframes; ++i) {
        words.word(what + " subframe");
        for (int k = 0; k < 7; ++k) words.number(what + " subframe");
      }
    }
    scene.objects.push_back(std::move(object));
  }
  if (!words.done()) {
    scene.warnings.push_back(words.element("").note("what follows the final \".\" is ignored"));
  }
}

}  // namespace catena::io
