#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include <nlohmann/json.hpp>

#include "base64.hpp"
#include "catena/view/replace_file.hpp"
#include "page_parts.hpp"
#include "view_model.hpp"

namespace catena::view {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMaxElements = 60'000;  // boxes or balls of one geometry on a page

std::string read_three_js(const HtmlOptions& options) {
  std::string path = options.three_js;
  if (path.empty()) {
    const char* set = std::getenv("CATENA_THREE_JS");
    path = set != nullptr && *set != '\0' ? set : CATENA_THREE_JS_DEFAULT;
  }
  static const std::string kRemedy =
      "; install libjs-three, or set CATENA_THREE_JS to a three.min.js of release 111";
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf())) {
    throw std::runtime_error(path + ": three.js: cannot be read" + kRemedy);
  }
  std::string js = std::move(text).str();
  // The inlined library must be a plain script, and must not end the element that holds it.
  if (js.find("WebGLRenderer") == std::string::npos || js.find("</script") != std::string::npos ||
      js.find("<!--") != std::string::npos) {
    throw std::runtime_error(path + ": three.js: is not the plain three.min.js" + kRemedy);
  }
  return js;
}

Json to_json(const Vector3d& v) { return Json::array({v.x(), v.y(), v.z()}); }

Json to_json(const SampledPath::Pose& pose) {
  return Json::array(
      {pose.p.x(), pose.p.y(), pose.p.z(), pose.q.x(), pose.q.y(), pose.q.z(), pose.q.w()});
}

Json shapes_to_json(const ViewModel& model, Json& notes) {
  Json shapes = Json::array();
  for (const auto& shape : model.shapes) {
    Json s;
    const Geometry& g = *shape.geometry;
    const std::size_t total = std::max(g.boxes().size(), g.centers().size());
    if (total > 0) {
      const auto elements = nearest_elements(g, kMaxElements, shape.robot);
      std::vector<float> values;
      for (const std::size_t k : elements) {
        const Vector3d at =
            (g.boxes().empty() ? g.centers()[k] : g.boxes()[k].center) - shape.mesh.center;
        const Vector3d half =
            g.boxes().empty() ? Vector3d::Constant(g.radius()) : g.boxes()[k].half;
        for (int j = 0; j < 3; ++j) values.push_back(static_cast<float>(at[j]));
        for (int j = 0; j < 3; ++j) values.push_back(static_cast<float>(half[j]));
      }
      s["kind"] = g.boxes().empty() ? "balls" : "boxes";
      s["elements"] = base64_of<float>(values);
      if (elements.size() < total) {
        notes.push_back("Drawn: of one object's " + std::to_string(total) +
                        (g.boxes().empty() ? " balls" : " boxes") + " the " +
                        std::to_string(elements.size()) + " nearest to the robot");
      }
    } else {
      s["kind"] = "mesh";
      s["positions"] = base64_of<float>(shape.mesh.positions);
      s["normals"] = base64_of<float>(shape.mesh.normals);
      s["indices"] = base64_of<std::uint32_t>(shape.mesh.indices);
    }
    shapes.push_back(std::move(s));
  }
  return shapes;
}

Json path_to_json(const SampledPath& path) {
  std::vector<float> poses;
  poses.reserve(path.poses.size() * 7);
  for (const auto& pose : path.poses) {
    for (int i = 0; i < 3; ++i) poses.push_back(static_cast<float>(pose.p[i]));
    for (int i = 0; i < 4; ++i) poses.push_back(static_cast<float>(pose.q.coeffs()[i]));
  }
  return {{"links", path.num_links},
          {"edge_times", base64_of<double>(path.edge_times)},
          {"seconds", base64_of<double>(path.seconds)},
          {"poses", base64_of<float>(poses)},
          {"state_seconds", path.state_seconds}};
}

const char* name_of(Animation::EdgeVerdict verdict) {
  switch (verdict) {
    case Animation::EdgeVerdict::kFree:
      return "free";
    case Animation::EdgeVerdict::kCollision:
      return "collision";
    case Animation::EdgeVerdict::kUndecided:
      return "undecided";
    case Animation::EdgeVerdict::kUnknown:
      break;
  }
  return "unknown";
}

/// The link whose origin draws the trace: the last of the longest chain.
int deepest_link(const Robot& robot) {
  std::vector<int> depth(static_cast<std::size_t>(robot.num_links()), 0);
  int deepest = 0;
  for (int i = 1; i < robot.num_links(); ++i) {
    depth[std::size_t(i)] = depth[std::size_t(robot.parent(LinkIndex(i)).value)] + 1;
    if (depth[std::size_t(i)] >= depth[std::size_t(deepest)]) deepest = i;
  }
  return deepest;
}

std::string page_data(const Animation& animation) {
  const ViewModel model = make_view_model(animation);
  const CollisionWorld& world = *animation.world;

  Json notes = Json::array();
  Json data;
  data["title"] = animation.title.empty() ? world.robot().name() : animation.title;
  data["summary"] = animation.summary;
  data["robot"] = world.robot().name();
  data["scene"] = world.scene().name;
  data["shapes"] = shapes_to_json(model, notes);
  data["bodies"] = Json::array();
  for (std::size_t i = 0; i < world.bodies().size(); ++i) {
    static constexpr const char* kKinds[] = {"robot", "attached", "scene"};
    data["bodies"].push_back({{"name", world.bodies()[i].name},
                              {"kind", kKinds[static_cast<std::size_t>(model.body_kinds[i])]},
                              {"link", world.bodies()[i].link.value}});
  }
  data["parts"] = Json::array();
  for (const auto& part : model.parts) {
    data["parts"].push_back({{"body", part.body.value},
                             {"link", part.link.value},
                             {"shape", part.shape},
                             {"pose", to_json(part.pose)}});
  }
  data["path"] = path_to_json(model.path);
  data["trace_link"] = deepest_link(world.robot());
  data["edges"] = Json::array();
  for (std::size_t e = 0; e + 1 < animation.waypoints.states.size(); ++e) {
    Json edge = {{"verdict", animation.edge_verdicts.empty() ? "unknown"
                                                             : name_of(animation.edge_verdicts[e])},
                 {"label", animation.edge_labels.empty() ? "" : animation.edge_labels[e]}};
    if (!animation.edge_progress.empty()) {
      const Animation::EdgeProgress& known = animation.edge_progress[e];
      edge["free_until"] = known.free_until;
      if (known.contact) edge["contact"] = *known.contact;
    }
    data["edges"].push_back(std::move(edge));
  }
  if (animation.contact) {
    const auto& contact = *animation.contact;
    data["contact"] = {{"edge_time", contact.edge_time},
                       {"seconds", model.path.contact_seconds},
                       {"bodies", {model.contact_a.value, model.contact_b.value}},
                       {"names", {contact.body_a, contact.body_b}},
                       {"point", to_json(Vector3d(contact.point - model.path.origin))}};
  } else {
    data["contact"] = nullptr;
  }
  data["fit"] = {to_json(model.path.fit_bounds.min()), to_json(model.path.fit_bounds.max())};
  data["robot_fit"] = {to_json(model.path.robot_bounds.min()),
                       to_json(model.path.robot_bounds.max())};
  data["origin"] = to_json(model.path.origin);
  data["notes"] = notes;

  // Names may hold anything, also bytes that are not UTF-8.
  return data.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// No '<' is left, so no text in the data can end or open an element.
std::string escape_for_script(const std::string& json) {
  std::string out;
  out.reserve(json.size());
  for (const char c : json) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  return out;
}

/// Replaces each {{NAME}} of the template, in one pass: what is put in is not looked at again.
std::string fill(const std::string& page,
                 const std::vector<std::pair<std::string, std::string>>& values) {
  std::string out;
  std::size_t at = 0;
  while (true) {
    const std::size_t open = page.find("{{", at);
    const std::size_t close = open == std::string::npos ? open : page.find("}}", open);
    if (close == std::string::npos) break;
    out.append(page, at, open - at);
    const std::string name = page.substr(open + 2, close - open - 2);
    for (const auto& [key, value] : values) {
      if (key == name) out += value;
    }
    at = close + 2;
  }
  return out.append(page, at);
}

}  // namespace

void write_html(const Animation& animation, const std::string& path, const HtmlOptions& options) {
  const std::string three_js = read_three_js(options);
  const std::string data = escape_for_script(page_data(animation));
  const std::string page = fill(
      kPageHtml, {{"css", kPageCss}, {"three", three_js}, {"data", data}, {"script", kPageJs}});
  replace_file(path, "the page", [&](std::ostream& file) { file << page; });
}

}  // namespace catena::view
