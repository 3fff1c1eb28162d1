#include <array>
#include <cmath>
#include <map>
#include <ostream>
#include <stdexcept>

#include <nlohmann/json.hpp>

#include "base64.hpp"
#include "catena/view/replace_file.hpp"
#include "view_model.hpp"

namespace catena::view {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMaxElements = 20'000;  // boxes or balls of one geometry
constexpr int kFloat = 5126, kUnsignedInt = 5125;
constexpr int kArrayBuffer = 34962, kElementArrayBuffer = 34963;

/// The JSON and the binary chunk of one file, grown accessor by accessor.
class GltfBuilder {
 public:
  Json json = {{"asset", {{"version", "2.0"}, {"generator", "Catena"}}},
               {"scene", 0},
               {"scenes", Json::array()},
               {"nodes", Json::array()}};

  /// Returns the index of the new element of a top-level array.
  int add(const char* array, Json element) {
    json[array].push_back(std::move(element));
    return static_cast<int>(json[array].size()) - 1;
  }

  /// `width` floats each; with bounds where the format wants them. `target` 0: none.
  int add_floats(const std::vector<float>& values, int width, bool bounds, int target) {
    static constexpr const char* kTypes[] = {"", "SCALAR", "VEC2", "VEC3", "VEC4"};
    Json accessor = {{"bufferView", add_view(values, target)},
                     {"componentType", kFloat},
                     {"count", values.size() / static_cast<std::size_t>(width)},
                     {"type", kTypes[width]}};
    if (bounds) {
      std::vector<float> lo(values.begin(), values.begin() + width), hi = lo;
      for (std::size_t i = 0; i < values.size(); ++i) {
        const std::size_t k = i % static_cast<std::size_t>(width);
        lo[k] = std::min(lo[k], values[i]);
        hi[k] = std::max(hi[k], values[i]);
      }
      // As doubles: the written decimals then read back as exactly the single-precision values.
      accessor["min"] = std::vector<double>(lo.begin(), lo.end());
      accessor["max"] = std::vector<double>(hi.begin(), hi.end());
    }
    return add("accessors", std::move(accessor));
  }

  int add_indices(const std::vector<std::uint32_t>& values) {
    return add("accessors", {{"bufferView", add_view(values, kElementArrayBuffer)},
                             {"componentType", kUnsignedInt},
                             {"count", values.size()},
                             {"type", "SCALAR"}});
  }

  void write(const std::string& path) {
    if (!binary_.empty()) json["buffers"] = {{{"byteLength", binary_.size()}}};
    std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
    text.resize((text.size() + 3) / 4 * 4, ' ');
    std::vector<std::uint8_t> head;
    const std::size_t chunks = 8 + text.size() + (binary_.empty() ? 0 : 8 + binary_.size());
    if (12 + chunks > UINT32_MAX) {
      throw std::runtime_error(path +
                               ": the animation is larger than a glTF binary may be (4 GiB); "
                               "write a shorter path or fewer triangles");
    }
    for (const std::size_t word : {std::size_t{0x46546c67}, std::size_t{2}, 12 + chunks,
                                   text.size(), std::size_t{0x4e4f534a}}) {
      append_bytes(static_cast<std::uint32_t>(word), head);
    }
    std::vector<std::uint8_t> chunk;
    if (!binary_.empty()) {
      append_bytes(static_cast<std::uint32_t>(binary_.size()), chunk);
      append_bytes(std::uint32_t{0x004e4942}, chunk);
    }
    replace_file(path, "the animation", [&](std::ostream& file) {
      const auto put = [&](const auto& bytes) {
        file.write(reinterpret_cast<const char*>(bytes.data()),
                   static_cast<std::streamsize>(bytes.size()));
      };
      put(head);
      put(text);
      put(chunk);
      put(binary_);
    });
  }

 private:
  template <class T>
  int add_view(const std::vector<T>& values, int target) {
    static_assert(sizeof(T) == 4);  // so every view starts at a multiple of 4, as it must
    Json view = {{"buffer", 0}, {"byteOffset", binary_.size()}, {"byteLength", 4 * values.size()}};
    if (target != 0) view["target"] = target;
    for (const T v : values) append_bytes(v, binary_);
    return add("bufferViews", std::move(view));
  }

  std::vector<std::uint8_t> binary_;
};

Json material(const char* name, std::array<double, 4> rgba) {
  Json m = {{"name", name},
            {"doubleSided", true},
            {"pbrMetallicRoughness",
             {{"baseColorFactor", rgba}, {"metallicFactor", 0.1}, {"roughnessFactor", 0.6}}}};
  if (rgba[3] < 1.0) m["alphaMode"] = "BLEND";
  return m;
}

/// The materials, in the order in which they are added.
enum Role { kBase, kLinkEven, kLinkOdd, kAttached, kScene, kContact };

Role role_of(const ViewModel& model, const ViewModel::Part& part) {
  if (part.body == model.contact_a || part.body == model.contact_b) return kContact;
  switch (model.body_kinds[static_cast<std::size_t>(part.body.value)]) {
    case ViewModel::BodyKind::kAttached:
      return kAttached;
    case ViewModel::BodyKind::kScene:
      return kScene;
    case ViewModel::BodyKind::kRobot:
      break;
  }
  if (part.link.value == 0) return kBase;
  return part.link.value % 2 == 0 ? kLinkEven : kLinkOdd;
}

Json vector_of(const Vector3d& p) { return Json::array({p.x(), p.y(), p.z()}); }

Json quaternion_of(const Eigen::Quaterniond& q) {
  return Json::array({q.x(), q.y(), q.z(), q.w()});
}

/// Frames whose times differ in single precision: a sampler's input must increase strictly.
std::vector<std::size_t> distinct_frames(const SampledPath& path) {
  std::vector<std::size_t> frames;
  for (std::size_t f = 0; f < path.num_frames(); ++f) {
    const bool same = !frames.empty() && !(static_cast<float>(path.seconds[f]) >
                                           static_cast<float>(path.seconds[frames.back()]));
    if (same) {
      frames.back() = f;  // of frames at one instant the last one stays
    } else {
      frames.push_back(f);
    }
  }
  return frames;
}

void add_animation(const ViewModel& model, const std::vector<int>& link_nodes, GltfBuilder& gltf) {
  const SampledPath& path = model.path;
  const std::vector<std::size_t> frames = distinct_frames(path);
  if (frames.size() < 2) return;
  std::vector<float> times;
  for (const std::size_t f : frames) times.push_back(static_cast<float>(path.seconds[f]));
  const int input = gltf.add_floats(times, 1, true, 0);

  Json animation = {{"name", "path"}, {"channels", Json::array()}, {"samplers", Json::array()}};
  for (int l = 0; l < path.num_links; ++l) {
    std::vector<float> translation, rotation;
    bool moves = false, turns = false;
    const auto& first = path.pose(frames[0], LinkIndex(l));
    for (const std::size_t f : frames) {
      const auto& pose = path.pose(f, LinkIndex(l));
      moves = moves || pose.p != first.p;
      turns = turns || pose.q.coeffs() != first.q.coeffs();
      for (int i = 0; i < 3; ++i) translation.push_back(static_cast<float>(pose.p[i]));
      for (int i = 0; i < 4; ++i) rotation.push_back(static_cast<float>(pose.q.coeffs()[i]));
    }
    const auto add_channel = [&](const std::vector<float>& values, int width, const char* what) {
      animation["samplers"].push_back({{"input", input},
                                       {"interpolation", "LINEAR"},
                                       {"output", gltf.add_floats(values, width, false, 0)}});
      animation["channels"].push_back(
          {{"sampler", animation["samplers"].size() - 1},
           {"target", {{"node", link_nodes[static_cast<std::size_t>(l)]}, {"path", what}}}});
    };
    if (moves) add_channel(translation, 3, "translation");
    if (turns) add_channel(rotation, 4, "rotation");
  }
  if (!animation["channels"].empty()) gltf.add("animations", std::move(animation));
}

}  // namespace

void write_gltf(const Animation& animation, const std::string& path) {
  const ViewModel model = make_view_model(animation);
  const CollisionWorld& world = *animation.world;
  GltfBuilder gltf;

  gltf.add("materials", material("base", {0.25, 0.30, 0.34, 1.0}));
  gltf.add("materials", material("link_even", {0.02, 0.22, 0.34, 1.0}));
  gltf.add("materials", material("link_odd", {0.05, 0.36, 0.48, 1.0}));
  gltf.add("materials", material("attached", {0.70, 0.25, 0.03, 1.0}));
  gltf.add("materials", material("scene", {0.35, 0.40, 0.45, 0.4}));
  gltf.add("materials", material("contact", {0.70, 0.02, 0.02, 1.0}));

  // One accessor set for each shape, one mesh for each shape and material it is drawn with.
  struct Accessors {
    int positions, normals, indices;
  };
  std::map<int, Accessors> accessors;
  std::map<std::pair<int, int>, int> meshes;
  const auto mesh_of = [&](int shape, Role role) {
    const auto [at, is_new] = meshes.try_emplace({shape, static_cast<int>(role)}, -1);
    if (!is_new) return at->second;
    const auto [data, first_use] = accessors.try_emplace(shape, Accessors{-1, -1, -1});
    if (first_use) {
      const auto& s = model.shapes[static_cast<std::size_t>(shape)];
      const bool many = !s.geometry->boxes().empty() || !s.geometry->centers().empty();
      const DisplayMesh expanded =
          many ? display_elements(*s.geometry, nearest_elements(*s.geometry, kMaxElements, s.robot))
               : DisplayMesh{};
      const DisplayMesh& mesh = many ? expanded : s.mesh;
      if (!mesh.indices.empty()) {
        data->second = {gltf.add_floats(mesh.positions, 3, true, kArrayBuffer),
                        gltf.add_floats(mesh.normals, 3, false, kArrayBuffer),
                        gltf.add_indices(mesh.indices)};
      }
    }
    const Accessors& a = data->second;
    if (a.positions >= 0) {
      at->second = gltf.add(
          "meshes",
          {{"primitives",
            Json::array({{{"attributes", {{"POSITION", a.positions}, {"NORMAL", a.normals}}},
                          {"indices", a.indices},
                          {"material", static_cast<int>(role)}}})}});
    }
    return at->second;
  };

  // Our z points up, glTF's y does: a quarter turn about x, once, at the top.
  const double half = std::sqrt(0.5);
  Json root = {
      {"name", "world"}, {"rotation", {-half, 0.0, 0.0, half}}, {"children", Json::array()}};
  if (model.path.origin != Vector3d::Zero()) {
    root["extras"] = {{"origin_in_world", vector_of(model.path.origin)}};
  }
  const int root_node = gltf.add("nodes", {});

  std::vector<int> link_nodes;
  for (int l = 0; l < model.path.num_links; ++l) {
    const auto& pose = model.path.pose(0, LinkIndex(l));
    std::string name = "link_" + std::to_string(l);
    for (const auto& body : world.robot().bodies()) {
      if (body.link == LinkIndex(l)) {
        name = body.name;
        break;
      }
    }
    link_nodes.push_back(gltf.add(
        "nodes",
        {{"name", name}, {"translation", vector_of(pose.p)}, {"rotation", quaternion_of(pose.q)}}));
    root["children"].push_back(link_nodes.back());
  }
  for (const auto& part : model.parts) {
    const int mesh = mesh_of(part.shape, role_of(model, part));
    if (mesh < 0) continue;
    const int node = gltf.add("nodes", {{"name", world.body(part.body).name},
                                        {"mesh", mesh},
                                        {"translation", vector_of(part.pose.p)},
                                        {"rotation", quaternion_of(part.pose.q)}});
    if (part.link.valid()) {
      gltf.json["nodes"][static_cast<std::size_t>(
          link_nodes[static_cast<std::size_t>(part.link.value)])]["children"]
          .push_back(node);
    } else {
      root["children"].push_back(node);
    }
  }
  if (animation.contact) {
    const double radius = 0.004 * model.path.fit_bounds.diagonal().norm();
    const DisplayMesh ball = display_mesh(ball_mesh(radius, 16, 10));
    const int mesh = gltf.add(
        "meshes",
        {{"primitives",
          Json::array({{{"attributes",
                         {{"POSITION", gltf.add_floats(ball.positions, 3, true, kArrayBuffer)},
                          {"NORMAL", gltf.add_floats(ball.normals, 3, false, kArrayBuffer)}}},
                        {"indices", gltf.add_indices(ball.indices)},
                        {"material", static_cast<int>(kContact)}}})}});
    root["children"].push_back(
        gltf.add("nodes", {{"name", "contact"},
                           {"mesh", mesh},
                           {"translation", vector_of(animation.contact->point - model.path.origin)},
                           {"extras", {{"seconds", model.path.contact_seconds}}}}));
  }
  gltf.json["nodes"][static_cast<std::size_t>(root_node)] = std::move(root);
  gltf.add("scenes", {{"nodes", Json::array({root_node})}});
  add_animation(model, link_nodes, gltf);
  gltf.write(path);
}

}  // namespace catena::view
