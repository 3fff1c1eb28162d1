#include "catena/certificate/check.hpp"

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <exception>
#include <map>
#include <memory>
#include <new>
#include <unordered_map>
#include <utility>
#include <vector>

#include "certificate_file.hpp"
#include "model.hpp"
#include "path_motion.hpp"
#include "refusal.hpp"
#include "winding.hpp"

namespace catena::certificate {
namespace {

using Plane = CertificateFile::Plane;

// An entry's interval may be halved so often: below that, one that holds is too tight to prove.
constexpr int kMostHalvings = 14;
// So many poses of links are kept at once, some hundred bytes each.
constexpr std::size_t kMostPoses = 100'000;
// So many claims wait for a shorter interval at most.
constexpr std::size_t kMostWaiting = 1'000'000;
// Between a frame and a link with more joints between them, distances are measured along the chain.
constexpr int kFewSteps = 24;

std::string in_quotes(const std::string& name) {
  std::string text = "\"";
  for (const char c : name) text += static_cast<unsigned char>(c) < 0x20 ? '?' : c;
  return text + "\"";
}

/// The elements of one shape that a part holds, and a ball around them, in the shape's frame G.
struct Part {
  int shape = 0;
  bool whole = false;
  std::vector<int> vertices;  // of a mesh
  std::array<double, 3> center{};
  double radius = 0.0;
  Vec center_L;  // in the link's frame
};

/// What is proven against a budget of steps.
class Budget {
 public:
  explicit Budget(std::uint64_t most) : left_(most) {}
  void spend(std::uint64_t steps) {
    if (steps > left_) throw Refusal("the check's budget of steps ran out");
    left_ -= steps;
  }

 private:
  std::uint64_t left_;
};

/// Splits the shapes as the file says, and knows which part is where.
class Parts {
 public:
  Parts(const Model& model, const CertificateFile& file, Budget& budget) : model_(model) {
    std::unordered_map<std::string, int> bodies;
    for (std::size_t i = 0; i < model.bodies.size(); ++i)
      bodies.emplace(model.bodies[i].name, static_cast<int>(i));
    std::vector<std::vector<int>> of_body(model.bodies.size());
    for (std::size_t i = 0; i < model.shapes.size(); ++i)
      of_body[static_cast<std::size_t>(model.shapes[i].body)].push_back(static_cast<int>(i));
    range_.assign(model.shapes.size(), {-1, -1});
    for (const auto& listed : file.shapes) {
      const auto body = bodies.find(listed.body);
      if (body == bodies.end()) fail(listed, "neither the robot nor the scene has it");
      const auto& shapes = of_body[static_cast<std::size_t>(body->second)];
      if (listed.number >= static_cast<int>(shapes.size())) fail(listed, "it has no such shape");
      const int shape = shapes[static_cast<std::size_t>(listed.number)];
      auto& range = range_[static_cast<std::size_t>(shape)];
      if (range[0] >= 0) fail(listed, "the shape is listed twice");
      range = {listed.first_part, listed.first_part + listed.num_parts};
      split(listed, shape, budget);
    }
    for (std::size_t i = 0; i < range_.size(); ++i)
      if (range_[i][0] < 0)
        throw Refusal("shape " + std::to_string(model.shapes[i].number) + " of " +
                      in_quotes(model.bodies[static_cast<std::size_t>(model.shapes[i].body)].name) +
                      " is not listed, so nothing is proven of it");
    carried_.push_back(0);
    for (const Part& part : parts_) carried_.push_back(carried_.back() + (of_scene(part) ? 0 : 1));
  }

  const Part& operator[](int i) const { return parts_[static_cast<std::size_t>(i)]; }
  int size() const { return static_cast<int>(parts_.size()); }
  const Shape& shape(const Part& part) const {
    return model_.shapes[static_cast<std::size_t>(part.shape)];
  }
  int body(int i) const { return shape((*this)[i]).body; }
  const std::string& name(int i) const {
    return model_.bodies[static_cast<std::size_t>(body(i))].name;
  }
  std::array<int, 2> range_of(int shape) const { return range_[static_cast<std::size_t>(shape)]; }
  /// How many of the parts [first, last) are the robot's.
  int carried(int first, int last) const {
    return carried_[static_cast<std::size_t>(last)] - carried_[static_cast<std::size_t>(first)];
  }

 private:
  bool of_scene(const Part& part) const {
    return model_.bodies[static_cast<std::size_t>(shape(part).body)].of_scene;
  }

  [[noreturn]] static void fail(const CertificateFile::ShapeParts& listed, const std::string& why) {
    throw Refusal("line " + std::to_string(listed.line) + ": shape " +
                  std::to_string(listed.number) + " of " + in_quotes(listed.body) + ": " + why);
  }

  void split(const CertificateFile::ShapeParts& listed, int shape_number, Budget& budget) {
    const Shape& shape = model_.shapes[static_cast<std::size_t>(shape_number)];
    if (listed.num_parts == 1) {
      budget.spend(1 + (shape.mesh ? shape.mesh->vertices.size() : 0));
      Part part;
      part.shape = shape_number;
      part.whole = true;
      if (shape.mesh) {
        part.vertices.resize(shape.mesh->vertices.size());  // welded: all of them are used
        for (std::size_t i = 0; i < part.vertices.size(); ++i)
          part.vertices[i] = static_cast<int>(i);
      }
      add(std::move(part));
      return;
    }
    if (!shape.mesh) fail(listed, "it is convex, so there is nothing to cut");
    const Mesh& mesh = *shape.mesh;
    struct Task {
      int node;
      std::vector<int> faces;
    };
    std::vector<Task> open(1);
    open[0].node = 0;
    for (int f = 0; f < mesh.num_faces(); ++f) open[0].faces.push_back(f);
    // Preorder, as the file numbers the parts.
    while (!open.empty()) {
      Task task = std::move(open.back());
      open.pop_back();
      budget.spend(1 + 4 * task.faces.size());
      const CertificateFile::Cut& cut = listed.cuts[static_cast<std::size_t>(task.node)];
      if (cut.axis < 0) {
        Part part;
        part.shape = shape_number;
        for (const int f : task.faces)
          for (int k = mesh.first[static_cast<std::size_t>(f)];
               k < mesh.first[static_cast<std::size_t>(f) + 1]; ++k)
            part.vertices.push_back(mesh.corners[static_cast<std::size_t>(k)]);
        std::sort(part.vertices.begin(), part.vertices.end());
        part.vertices.erase(std::unique(part.vertices.begin(), part.vertices.end()),
                            part.vertices.end());
        add(std::move(part));
        continue;
      }
      Task below{task.node + 1, {}}, beyond{cut.second, {}};
      for (const int f : task.faces) {
        const double infinity = std::numeric_limits<double>::infinity();
        double place = cut.greatest ? -infinity : infinity;
        for (int k = mesh.first[static_cast<std::size_t>(f)];
             k < mesh.first[static_cast<std::size_t>(f) + 1]; ++k) {
          const int corner = mesh.corners[static_cast<std::size_t>(k)];
          const double x =
              mesh.vertices[static_cast<std::size_t>(corner)][static_cast<std::size_t>(cut.axis)];
          place = cut.greatest ? std::fmax(place, x) : std::fmin(place, x);
        }
        (place < cut.at ? below : beyond).faces.push_back(f);
      }
      open.push_back(std::move(beyond));
      open.push_back(std::move(below));
    }
  }

  void add(Part part) {
    const Shape& s = shape(part);
    if (s.mesh) {
      std::array<double, 3> low, high;
      low.fill(std::numeric_limits<double>::infinity());
      high.fill(-std::numeric_limits<double>::infinity());
      for (const int v : part.vertices)
        for (std::size_t k = 0; k < 3; ++k) {
          const double x = s.mesh->vertices[static_cast<std::size_t>(v)][k];
          low[k] = std::fmin(low[k], x);
          high[k] = std::fmax(high[k], x);
        }
      if (!part.vertices.empty())
        for (std::size_t k = 0; k < 3; ++k) part.center[k] = 0.5 * low[k] + 0.5 * high[k];
      for (const int v : part.vertices) {
        double squared = 0.0;
        for (std::size_t k = 0; k < 3; ++k) {
          const double d = s.mesh->vertices[static_cast<std::size_t>(v)][k] - part.center[k];
          squared += d * d;
        }
        part.radius = std::fmax(part.radius, detail::up(std::sqrt(squared)) + 1e-140);
      }
      part.radius += 2.0 * s.mesh->vertex_error;
    } else {
      const auto& a = s.size;
      switch (s.kind) {
        case Shape::Kind::kSphere:
          part.radius = a[0];
          break;
        case Shape::Kind::kCapsule:
          part.radius = a[0] + 0.5 * a[1];
          break;
        case Shape::Kind::kBox:
          part.radius = 0.5 * std::sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
          break;
        case Shape::Kind::kHalfSpace:
          break;  // never moved
        default:
          part.radius = std::sqrt(a[0] * a[0] + 0.25 * a[1] * a[1]);
      }
    }
    part.radius = detail::up(part.radius) + 1e-140;
    part.center_L = s.X_LG * Vec{part.center[0], part.center[1], part.center[2]};
    parts_.push_back(std::move(part));
  }

  const Model& model_;
  std::vector<Part> parts_;
  std::vector<std::array<int, 2>> range_;  // by shape
  std::vector<int> carried_;
};

/// The proof of one edge.
class EdgeProof {
 public:
  EdgeProof(const Model& model, const Parts& parts, const CertificateFile& file,
            const CertificateFile::Edge& edge, const std::vector<int>& joints, Budget& budget,
            CheckStats& stats)
      : model_(model),
        parts_(parts),
        clearance_(file.clearance),
        edge_(edge),
        motion_(model, joints, edge.motion),
        budget_(budget),
        stats_(stats),
        sways_(model.links.size()) {}

  void run() {
    check_cover();
    check_planes();
    stats_.entries += edge_.planes.size();
    check_solids();
  }

 private:
  // ---- planes

  [[noreturn]] static void fail(const Plane& plane, const std::string& why) {
    throw Refusal("line " + std::to_string(plane.line) + ": " + why);
  }

  int frame_of(const Plane& plane) {
    if (plane.frame.empty()) return 0;
    if (link_by_name_.empty())
      for (std::size_t i = 1; i < model_.links.size(); ++i)
        link_by_name_.emplace(model_.links[i].name, static_cast<int>(i));
    const auto found = link_by_name_.find(plane.frame);
    if (found == link_by_name_.end())
      fail(plane, "the robot has no link " + in_quotes(plane.frame));
    return found->second;
  }

  /// Part beyond a bound in a direction: that sup of n . x over the part stays below `bound`.
  struct Claim {
    int part;
    bool high;
  };

  /// A plane as it is proven: everything low stays below one bound, everything high, the other way
  /// round, below the other.
  struct Parting {
    const Plane* plane;
    int frame;
    Vec normal;
    Real low_bound, high_bound;
  };
  /// A part of an interval over which some claims are to be proven.
  struct Task {
    int parting;
    double begin, end;
    int depth;  // how often it was halved
    std::vector<Claim> claims;
  };

  // The longest intervals first and then by time, so that what a pose is needed for comes together.
  void check_planes() {
    std::vector<Parting> partings;
    for (const Plane& plane : edge_.planes) {
      open_[{plane.begin - plane.end, plane.begin}].push_back(
          {static_cast<int>(partings.size()), plane.begin, plane.end, 0, {}});
      partings.push_back(parting_of(plane));
    }
    while (!open_.empty()) {
      const std::vector<Task> tasks = std::move(open_.begin()->second);
      open_.erase(open_.begin());
      for (const Task& task : tasks) {
        waiting_ -= task.claims.size();
        const Parting& parting = partings[static_cast<std::size_t>(task.parting)];
        prove(parting, task, task.depth == 0 ? claims_of(*parting.plane) : task.claims);
      }
    }
  }

  Parting parting_of(const Plane& plane) {
    const int frame = frame_of(plane);
    Vec normal{plane.normal[0], plane.normal[1], plane.normal[2]};
    const Real length = norm(normal);
    if (!(std::abs(length.hi - 1.0) <= 1e-6)) fail(plane, "its normal is not of length 1");
    Real offset = plane.offset;
    take_half_space(plane, frame, normal, offset);
    // Everything low stays below the offset, everything high beyond it by the clearance.
    return {&plane, frame, normal, offset, -(offset + Real(clearance_) * norm(normal))};
  }

  std::vector<Claim> claims_of(const Plane& plane) const {
    std::vector<Claim> claims;
    for (int i = plane.low[0]; i < plane.low[1]; ++i)
      if (!is_half_space(i)) claims.push_back({i, false});
    for (int i = plane.high[0]; i < plane.high[1]; ++i)
      if (!is_half_space(i)) claims.push_back({i, true});
    return claims;
  }

  bool is_half_space(int part) const {
    return parts_.shape(parts_[part]).kind == Shape::Kind::kHalfSpace;
  }

  // A block with a half-space is that half-space alone; its own plane, exactly, takes the place of
  // the entry's, which must be the same but for rounding.
  void take_half_space(const Plane& plane, int frame, Vec& normal, Real& offset) const {
    int found = -1;
    for (const auto& block : {plane.low, plane.high})
      for (int i = block[0]; i < block[1]; ++i)
        if (is_half_space(i)) {
          if (found >= 0 || block[1] - block[0] > 1)
            fail(plane, "a half-space stands in a block with something else");
          found = i;
        }
    if (found < 0) return;
    if (frame != 0) fail(plane, "a half-space is held against a plane that is not the world's");
    const Shape& shape = parts_.shape(parts_[found]);
    const Vec given{shape.size[0], shape.size[1], shape.size[2]};
    const Vec own = shape.X_LG.R * unit(given);
    // normal . (x - p) <= offset, all over |normal|.
    const Real own_offset = scaled_offset(shape) + dot(own, shape.X_LG.p);
    const bool is_low = plane.low[0] == found;
    const Vec meant = is_low ? own : -own;
    const Vec difference = meant - normal;
    if (!(length_above(difference) <= 1e-6))
      fail(plane, "its normal is not that of the half-space " + in_quotes(parts_.name(found)));
    normal = meant;
    // Low: the others are beyond its surface by the clearance. High: they are below it.
    const Real stated = offset;
    offset = is_low ? own_offset : -own_offset - Real(clearance_);
    if (!(std::abs(stated.hi - offset.hi) <= 1e-6 * (1.0 + std::abs(offset.hi))))
      fail(plane, "its offset is not that of the half-space " + in_quotes(parts_.name(found)));
  }

  static Real scaled_offset(const Shape& shape) {
    const double size = std::fmax(std::abs(shape.size[0]),
                                  std::fmax(std::abs(shape.size[1]), std::abs(shape.size[2])));
    const double scale = std::ldexp(1.0, -std::ilogb(size));
    const Vec n = Real(scale) * Vec{shape.size[0], shape.size[1], shape.size[2]};
    return Real(shape.offset) * Real(scale) / norm(n);
  }

  const Instant& instant(double t) {
    const auto found = instants_.find(t);
    if (found != instants_.end()) return *found->second;
    if ((instants_.size() + 1) * model_.links.size() > kMostPoses) instants_.clear();
    budget_.spend(8 * model_.links.size());
    return *instants_.emplace(t, std::make_unique<Instant>(motion_.at(t))).first->second;
  }

  /// What is not proven over the interval waits for its halves; if much waits, these are next.
  void prove(const Parting& parting, const Task& task, const std::vector<Claim>& claims) {
    const double mid = 0.5 * (task.begin + task.end);
    const double half = std::fmax(task.end - mid, mid - task.begin) * (1.0 + 0x1p-50);
    std::vector<Claim> open;
    {
      const Instant& now = instant(mid);
      const Instant::LinkState& F = now.links[static_cast<std::size_t>(parting.frame)];
      const Vec normal_W = F.X_WL.R * parting.normal;
      look_from(parting.frame);
      for (const Claim& claim : claims) {
        const Vec n = claim.high ? -normal_W : normal_W;
        const Real& bound = claim.high ? parting.high_bound : parting.low_bound;
        if (!stays_below(now, parting.frame, F, n, claim.part, bound, half)) {
          if (!is_below(now, F, n, claim.part, bound))
            fail(*parting.plane,
                 in_quotes(parts_.name(claim.part)) +
                     " is not on its side of the plane at t = " + std::to_string(mid));
          open.push_back(claim);
        }
      }
    }
    if (open.empty()) return;
    if (task.depth == kMostHalvings || !(task.begin < mid && mid < task.end))
      fail(*parting.plane, "it is not proven that " + in_quotes(parts_.name(open.front().part)) +
                               " stays on its side of the plane near t = " + std::to_string(mid));
    for (const auto& [begin, end] : {std::pair(task.begin, mid), std::pair(mid, task.end)}) {
      Task next{task.parting, begin, end, task.depth + 1, {}};
      if (waiting_ + open.size() > kMostWaiting) {
        prove(parting, next, open);
      } else {
        waiting_ += open.size();
        next.claims = open;
        open_[{begin - end, begin}].push_back(std::move(next));
      }
    }
  }

  /// The largest d . x over the part's points x, in the shape's frame, less d . center.
  Real reach(const Part& part, const Vec& d) {
    const Shape& s = parts_.shape(part);
    const auto& a = s.size;
    const Real half = 0.5;
    switch (s.kind) {
      case Shape::Kind::kSphere:
        return Real(a[0]) * norm(d);
      case Shape::Kind::kCapsule:
        return Real(a[0]) * norm(d) + half * Real(a[1]) * abs(d.z);
      case Shape::Kind::kBox:
        return half * (Real(a[0]) * abs(d.x) + Real(a[1]) * abs(d.y) + Real(a[2]) * abs(d.z));
      case Shape::Kind::kCylinder:
        return Real(a[0]) * sqrt(d.x * d.x + d.y * d.y) + half * Real(a[1]) * abs(d.z);
      case Shape::Kind::kCone:
        return max(half * Real(a[1]) * d.z,
                   Real(a[0]) * sqrt(d.x * d.x + d.y * d.y) - half * Real(a[1]) * d.z);
      case Shape::Kind::kHalfSpace:
        return std::numeric_limits<double>::quiet_NaN();
      case Shape::Kind::kMesh:
        return mesh_reach(part, *s.mesh, d);
    }
    return std::numeric_limits<double>::quiet_NaN();
  }

  // In doubles first: only vertices that may be the farthest are looked at more closely.
  Real mesh_reach(const Part& part, const Mesh& mesh, const Vec& d) {
    budget_.spend(part.vertices.size() / 8);
    const Vec c{part.center[0], part.center[1], part.center[2]};
    if (part.vertices.empty()) return -std::numeric_limits<double>::max();
    const double x = d.x.hi, y = d.y.hi, z = d.z.hi;
    double size = 0.0;
    for (const double m : part.center) size = std::fmax(size, std::abs(m));
    size += part.radius;
    // Each coordinate is at most `size`; three products, two sums and the rounding of d itself.
    const double error =
        8 * 0x1p-53 * size * (d.x.magnitude() + d.y.magnitude() + d.z.magnitude()) +
        size * (d.x.radius + d.y.radius + d.z.radius) + 1e-280;
    double most = -std::numeric_limits<double>::infinity();
    values_.resize(part.vertices.size());
    for (std::size_t i = 0; i < part.vertices.size(); ++i) {
      const auto& v = mesh.vertices[static_cast<std::size_t>(part.vertices[i])];
      values_[i] = x * v[0] + y * v[1] + z * v[2];
      most = std::fmax(most, values_[i]);
    }
    if (!std::isfinite(most) || !std::isfinite(error))
      return std::numeric_limits<double>::quiet_NaN();
    const double enough = most - 2.5 * error;
    bool first = true;
    Real best;
    for (std::size_t i = 0; i < part.vertices.size(); ++i) {
      if (values_[i] < enough) continue;
      const auto& v = mesh.vertices[static_cast<std::size_t>(part.vertices[i])];
      const Real value = dot(d, Vec{v[0], v[1], v[2]} - c);
      best = first ? value : max(best, value);
      first = false;
    }
    return best + Real(mesh.vertex_error) * norm(d);
  }

  /// Proven: at every time within `half` of the instant, n . (x - p_F) stays below the bound, n
  /// being fixed in the frame F and given in the world's axes, for all points x of the part.
  bool stays_below(const Instant& now, int frame, const Instant::LinkState& F, const Vec& n,
                   int number, const Real& bound, double half) {
    ++stats_.evaluations;
    const Part& part = parts_[number];
    const Shape& shape = parts_.shape(part);
    const int link = model_.bodies[static_cast<std::size_t>(shape.body)].link;
    const Instant::LinkState& L = now.links[static_cast<std::size_t>(link)];
    budget_.spend(4);
    const Vec c = L.X_WL * part.center_L;
    const Real base = dot(n, c - F.X_WL.p);
    const auto in_shape = [&](const Vec& d) { return shape.X_LG.R.back(L.X_WL.R.back(d)); };
    const double curve = acceleration(now, link, frame, c, part.radius, half);
    if (sway(now, link, frame, half).moving == 0 || half == 0.0)
      return is_negative(base + reach(part, in_shape(n)) - bound);
    // Every point's velocity along n, as F sees it: that of the centre, and (n x spin) . (x - c).
    const Vec spin = L.spin - F.spin;
    const Real speed = dot(n, cross(spin, c) + (L.drift - F.drift));
    const Vec twist = Real(half) * cross(n, spin);
    const Real shift = Real(half) * speed;
    const Real later = reach(part, in_shape(n + twist)) + shift;
    const Real earlier = reach(part, in_shape(n - twist)) - shift;
    // n is not longer than 1 by more than 1e-6 (parting_of).
    const double rest = detail::up(0.5 * half * half * curve * (1.0 + 2e-6));
    return is_negative(base + max(later, earlier) + Real(rest) - bound);
  }

  /// The same at the instant alone. What is not proven there is not in any shorter interval.
  bool is_below(const Instant& now, const Instant::LinkState& F, const Vec& n, int number,
                const Real& bound) {
    const Part& part = parts_[number];
    const Shape& shape = parts_.shape(part);
    const Instant::LinkState& L = now.links[static_cast<std::size_t>(
        model_.bodies[static_cast<std::size_t>(shape.body)].link)];
    const Vec d = shape.X_LG.R.back(L.X_WL.R.back(n));
    return is_negative(dot(n, L.X_WL * part.center_L - F.X_WL.p) + reach(part, d) - bound);
  }

  // ---- how much the ways bend

  /// What is known of a link's motion as the frame sees it, at every time within `half` of an
  /// instant. Found along the way from the frame, so once for all that lies beyond.
  struct Sway {
    std::uint64_t view = 0;          // of which frame, instant and half
    int next = -1;                   // the link before it on the way from the frame
    int joint = -1;                  // the joint between the two, by the link that it is above
    int steps = 0, moving = 0;       // joints on the way, and those of them that move
    std::array<double, 3> point{};   // of the link, where the way enters it, at the instant
    double point_error = 0.0;        // of each coordinate
    double rates = 0.0;              // sum of the rates on the way
    double spin = 0.0, twist = 0.0;  // at least the lengths of angular velocity and acceleration
    double bend = 0.0;               // at least |x''| of the point
    double weight = 0.0;             // and by so much more at a metre from it
  };

  /// Forgets the ways.
  void look_from(int frame) {
    ++view_;
    Sway& own = sways_[static_cast<std::size_t>(frame)];
    own = {};
    own.view = view_;
    top_ = frame;
  }

  const Sway& sway(const Instant& now, int link, int frame, double half) {
    const auto at = [&](int i) -> Sway& { return sways_[static_cast<std::size_t>(i)]; };
    const auto above = [&](int i) { return model_.links[static_cast<std::size_t>(i)].parent; };
    const auto depth = [&](int i) { return model_.links[static_cast<std::size_t>(i)].depth; };
    chain_.clear();
    for (int i = link; at(i).view != view_;) {
      if (depth(i) > depth(top_)) {  // below what is known of the frame's own ancestors
        chain_.push_back(i);
        i = above(i);
      } else {
        const int parent = above(top_);
        step(now, top_, parent, top_, frame, half);
        top_ = parent;
      }
    }
    for (; !chain_.empty(); chain_.pop_back())
      step(now, above(chain_.back()), chain_.back(), chain_.back(), frame, half);
    return at(link);
  }

  /// From what is known of one link to the next one, across a joint. docs/rigor.md, R11.
  void step(const Instant& now, int from, int to, int joint, int frame, double half) {
    using detail::up;
    budget_.spend(1);
    Sway& s = sways_[static_cast<std::size_t>(to)];
    s = sways_[static_cast<std::size_t>(from)];
    s.next = from;
    s.joint = joint;
    ++s.steps;
    const double w = motion_.turn_rate(joint), v = motion_.shift_rate(joint);
    if (w == 0.0 && v == 0.0) return;
    const Instant::JointPlace& place = now.joints[static_cast<std::size_t>(joint)];
    if (s.moving++ > 0) {
      double squared = 0.0, size = 0.0;
      for (std::size_t k = 0; k < 3; ++k) {
        const double d = place.origin[k] - s.point[k];
        squared += d * d;
        size += std::abs(place.origin[k]) + std::abs(s.point[k]);
      }
      const double length =
          up(std::sqrt(squared)) + 2.0 * (place.error + s.point_error) + 1e-15 * size + 1e-140;
      s.bend = up(s.bend + s.weight * (length + half * v));
    }
    const double before = s.spin, turning = motion_.turn_acceleration(joint);
    s.weight = up(s.weight + w * (w + 2.0 * before) + turning);
    s.bend = up(s.bend + s.weight * (half * v) + 2.0 * v * (w + before) +
                motion_.shift_acceleration(joint));
    s.twist = up(s.twist + w * before + turning);
    s.rates = up(s.rates + w);
    const double spin = up(length_above(now.links[static_cast<std::size_t>(to)].spin -
                                        now.links[static_cast<std::size_t>(frame)].spin) +
                           half * s.twist);
    s.spin = spin < s.rates ? spin : s.rates;
    s.point = place.origin;
    s.point_error = place.error;
  }

  /// An upper bound of |x''| as the frame sees it, for the points within `radius` of c on the link,
  /// at every time within `half` of the instant. docs/rigor.md, R11.
  double acceleration(const Instant& now, int link, int frame, const Vec& c, double radius,
                      double half) {
    const Sway& last = sway(now, link, frame, half);
    if (last.moving == 0) return 0.0;
    const double p[3] = {c.x.hi, c.y.hi, c.z.hi};
    const double p_size = std::abs(p[0]) + std::abs(p[1]) + std::abs(p[2]);
    const double p_error = c.x.radius + c.y.radius + c.z.radius + 1e-15 * p_size;
    if (last.steps > kFewSteps) {
      double squared = 0.0;
      for (std::size_t k = 0; k < 3; ++k)
        squared += (p[k] - last.point[k]) * (p[k] - last.point[k]);
      const double away = detail::up(std::sqrt(squared)) + 2.0 * (p_error + last.point_error) +
                          1e-15 * (p_size + 1.0) + radius;
      return detail::up(last.bend + last.weight * away) * (1.0 + 1e-12) + 1e-200;
    }
    budget_.spend(1 + static_cast<std::uint64_t>(last.steps) / 4);
    double speed = 0.0, result = 0.0;
    for (int k = link; k != frame; k = sways_[static_cast<std::size_t>(k)].next) {
      const Sway& s = sways_[static_cast<std::size_t>(k)];
      const int i = s.joint;
      const double w = motion_.turn_rate(i), v = motion_.shift_rate(i);
      if (w == 0.0 && v == 0.0) continue;
      // Of the link nearer the frame, which turns this joint's velocity.
      const double before = sways_[static_cast<std::size_t>(s.next)].spin;
      double away = 0.0;
      if (w > 0.0) {
        const Instant::JointPlace& place = now.joints[static_cast<std::size_t>(i)];
        const double d[3] = {p[0] - place.origin[0], p[1] - place.origin[1],
                             p[2] - place.origin[2]};
        const auto& a = place.axis;
        const double x = a[1] * d[2] - a[2] * d[1], y = a[2] * d[0] - a[0] * d[2],
                     z = a[0] * d[1] - a[1] * d[0];
        const double d_size = std::abs(d[0]) + std::abs(d[1]) + std::abs(d[2]);
        away = std::sqrt(x * x + y * y + z * z) + 1e-14 * d_size + 2.0 * p_error +
               2.0 * place.error * (1.0 + d_size) + radius + half * (speed + v);
      }
      result += w * away * (w + 2.0 * before) + 2.0 * v * (w + before) +
                motion_.turn_acceleration(i) * away + motion_.shift_acceleration(i);
      speed += w * away + v;
    }
    return result * (1.0 + 1e-12) + 1e-200;
  }

  // ---- the cover

  struct Claimed {  // the two blocks, the one with the lower numbers first
    std::array<int, 2> a, b;
    double begin, end;
  };
  struct Gap {
    double begin, end;
  };

  void check_cover() {
    std::vector<int> all;
    for (const Plane& plane : edge_.planes) {
      const bool in_order = plane.low[0] < plane.high[0];
      claimed_.push_back({in_order ? plane.low : plane.high, in_order ? plane.high : plane.low,
                          plane.begin, plane.end});
      all.push_back(static_cast<int>(all.size()));
    }
    cover({0, parts_.size()}, {0, parts_.size()}, {{0.0, 1.0}}, all, 0);
  }

  static bool contains(const std::array<int, 2>& outer, const std::array<int, 2>& inner) {
    return outer[0] <= inner[0] && inner[1] <= outer[1];
  }
  static bool meets(const std::array<int, 2>& x, const std::array<int, 2>& y) {
    return x[0] < y[1] && y[0] < x[1];
  }

  // Proves that the listed entries cover a x b (or all pairs within a, if the two are the same) in
  // the gaps of time. What is left over after an entry, which is closed, is open, so gaps that are
  // not empty have a length.
  void cover(std::array<int, 2> a, std::array<int, 2> b, std::vector<Gap> gaps,
             const std::vector<int>& entries, int depth) {
    ++stats_.regions;
    budget_.spend(1 + entries.size());
    const bool same = a == b;
    if (a[0] >= a[1] || b[0] >= b[1] || (same && a[1] - a[0] == 1)) return;
    if (parts_.carried(a[0], a[1]) == 0 && parts_.carried(b[0], b[1]) == 0) return;
    std::vector<int> partial;
    for (const int e : entries) {
      const Claimed& claim = claimed_[static_cast<std::size_t>(e)];
      if (!meets(claim.a, a) || !meets(claim.b, b)) continue;
      if (!same && contains(claim.a, a) && contains(claim.b, b))
        subtract(claim, gaps);
      else
        partial.push_back(e);
    }
    if (gaps.empty()) return;
    if (partial.empty()) {
      require_unchecked(a, b, gaps.front());
      return;
    }
    if (depth > 4000) throw Refusal("its blocks are nested too deeply");
    // Cut where entries end, in the middle of those places.
    std::vector<int> ends_a, ends_b;
    for (const int e : partial) {
      const Claimed& claim = claimed_[static_cast<std::size_t>(e)];
      for (const int end : claim.a)
        if (end > a[0] && end < a[1]) ends_a.push_back(end);
      for (const int end : claim.b)
        if (end > b[0] && end < b[1]) (same ? ends_a : ends_b).push_back(end);
    }
    const bool cut_a = ends_a.size() >= ends_b.size();
    std::vector<int>& ends = cut_a ? ends_a : ends_b;
    const auto middle = ends.begin() + static_cast<std::ptrdiff_t>(ends.size() / 2);
    std::nth_element(ends.begin(), middle, ends.end());
    const int at = *middle;
    if (same) {
      cover({a[0], at}, {a[0], at}, gaps, partial, depth + 1);
      cover({a[0], at}, {at, a[1]}, gaps, partial, depth + 1);
      cover({at, a[1]}, {at, a[1]}, std::move(gaps), partial, depth + 1);
    } else if (cut_a) {
      cover({a[0], at}, b, gaps, partial, depth + 1);
      cover({at, a[1]}, b, std::move(gaps), partial, depth + 1);
    } else {
      cover(a, {b[0], at}, gaps, partial, depth + 1);
      cover(a, {at, b[1]}, std::move(gaps), partial, depth + 1);
    }
  }

  void subtract(const Claimed& claim, std::vector<Gap>& gaps) {
    budget_.spend(gaps.size());
    std::vector<Gap> left;
    for (const Gap& gap : gaps) {
      if (claim.end <= gap.begin || claim.begin >= gap.end) {
        left.push_back(gap);
        continue;
      }
      if (gap.begin < claim.begin) left.push_back({gap.begin, claim.begin});
      if (claim.end < gap.end) left.push_back({claim.end, gap.end});
    }
    gaps = std::move(left);
  }

  void require_unchecked(const std::array<int, 2>& a, const std::array<int, 2>& b, const Gap& gap) {
    for (int i = a[0]; i < a[1]; ++i) {
      const int body = parts_.body(i);
      if (i > a[0] && parts_.body(i - 1) == body) continue;  // the same body once more
      for (int k = b[0]; k < b[1]; ++k) {
        budget_.spend(1);
        if (!model_.checks(body, parts_.body(k))) continue;
        throw Refusal("no entry covers " + in_quotes(parts_.name(i)) + " and " +
                      in_quotes(parts_.name(k)) + " between t = " + std::to_string(gap.begin) +
                      " and " + std::to_string(gap.end));
      }
    }
  }

  // ---- what lies inside what

  // A plane that parts two whole surfaces parts what they bound as well. So only a solid in several
  // parts can hold something that no plane parts from all of it (docs/rigor.md, R11).
  void check_solids() {
    for (std::size_t g = 0; g < model_.shapes.size(); ++g) {
      const Shape& solid = model_.shapes[g];
      const std::array<int, 2> parts_g = parts_.range_of(static_cast<int>(g));
      if (!solid.mesh || !solid.mesh->solid || parts_g[1] - parts_g[0] == 1) continue;
      for (std::size_t h = 0; h < model_.shapes.size(); ++h) {
        const Shape& other = model_.shapes[h];
        budget_.spend(1);
        if (!model_.checks(solid.body, other.body) || other.kind == Shape::Kind::kHalfSpace)
          continue;
        if (!is_parted(parts_g, parts_.range_of(static_cast<int>(h))))
          check_outside(static_cast<int>(g), static_cast<int>(h));
      }
    }
  }

  bool is_parted(const std::array<int, 2>& g, const std::array<int, 2>& h) {
    for (const Claimed& claim : claimed_) {
      budget_.spend(1);
      if ((contains(claim.a, g) && contains(claim.b, h)) ||
          (contains(claim.a, h) && contains(claim.b, g)))
        return true;
    }
    return false;
  }

  void check_outside(int g, int h) {
    const Shape& solid = model_.shapes[static_cast<std::size_t>(g)];
    const Shape& other = model_.shapes[static_cast<std::size_t>(h)];
    const std::string& solid_name = model_.bodies[static_cast<std::size_t>(solid.body)].name;
    const std::string& other_name = model_.bodies[static_cast<std::size_t>(other.body)].name;
    const int components = other.mesh ? other.mesh->num_components : 1;
    std::vector<const CertificateFile::Outside*> said(static_cast<std::size_t>(components));
    for (const auto& outside : edge_.outsides) {
      budget_.spend(1);
      if (outside.solid == solid_name && outside.solid_number == solid.number &&
          outside.other == other_name && outside.other_number == other.number &&
          outside.component < components)
        said[static_cast<std::size_t>(outside.component)] = &outside;
    }
    const Instant& start = instant(0.0);
    const auto pose = [&](const Shape& shape) {
      const int link = model_.bodies[static_cast<std::size_t>(shape.body)].link;
      return start.links[static_cast<std::size_t>(link)].X_WL * shape.X_LG;
    };
    const Pose X_WS = pose(solid), X_WO = pose(other);
    for (int k = 0; k < components; ++k) {
      const auto* outside = said[static_cast<std::size_t>(k)];
      if (outside == nullptr)
        throw Refusal("no point of " + in_quotes(other_name) + " is shown to be outside " +
                      in_quotes(solid_name) + ", a solid");
      const Vec point = X_WO * point_of(other, k);
      budget_.spend(8 * solid.mesh->corners.size());
      const auto turns = winding(*solid.mesh, X_WS.R.back(point - X_WS.p),
                                 {outside->ray[0], outside->ray[1], outside->ray[2]});
      const std::string where = "line " + std::to_string(outside->line) + ": ";
      if (!turns) throw Refusal(where + "it is not clear what its ray meets");
      if (*turns != 0)
        throw Refusal(where + in_quotes(other_name) + " begins inside the solid " +
                      in_quotes(solid_name));
      ++stats_.outside;
    }
  }

  /// A point of a shape's component, in its frame G.
  static Vec point_of(const Shape& shape, int component) {
    if (!shape.mesh) return {};
    const Mesh& mesh = *shape.mesh;
    for (int f = 0; f < mesh.num_faces(); ++f)
      if (mesh.component[static_cast<std::size_t>(f)] == component) {
        const auto& v = mesh.vertices[static_cast<std::size_t>(
            mesh.corners[static_cast<std::size_t>(mesh.first[static_cast<std::size_t>(f)])])];
        const double e = mesh.vertex_error;
        return {widened(v[0], e), widened(v[1], e), widened(v[2], e)};
      }
    return {std::numeric_limits<double>::quiet_NaN(), 0.0, 0.0};
  }

  const Model& model_;
  const Parts& parts_;
  double clearance_;
  const CertificateFile::Edge& edge_;
  PathMotion motion_;
  Budget& budget_;
  CheckStats& stats_;
  std::unordered_map<std::string, int> link_by_name_;
  std::unordered_map<double, std::unique_ptr<Instant>> instants_;
  std::vector<Claimed> claimed_;
  // By the interval: its length, the longest first, and where it begins.
  std::map<std::pair<double, double>, std::vector<Task>> open_;
  std::size_t waiting_ = 0;  // claims of these, but for whole planes
  std::vector<Sway> sways_;  // by link
  std::uint64_t view_ = 0;
  int top_ = 0;  // the last of the frame's ancestors that is reached in this view
  std::vector<int> chain_;
  std::vector<double> values_;
};

CheckResult check_text(const Model& model, const std::string& text, const CheckOptions& options) {
  CheckResult result;
  try {
    if (std::fegetround() != FE_TONEAREST) throw Refusal("rounding is not to the nearest");
    if (text.size() > 1'000'000'000) throw Refusal("it is larger than 1 GB");
    const CertificateFile file = parse_certificate(text);
    Budget budget(options.budget);
    const std::vector<int> joints = find_joints(model, file.joints);
    const Parts parts(model, file, budget);
    for (std::size_t i = 0; i < file.edges.size(); ++i) {
      try {
        EdgeProof(model, parts, file, file.edges[i], joints, budget, result.stats).run();
      } catch (const Refusal& refusal) {
        throw Refusal("edge " + std::to_string(i) + ": " + refusal.what());
      }
    }
    result.what.clearance = file.clearance;
    result.what.joints = file.joints;
    for (const int j : joints)
      result.what.num_values.push_back(num_values(model.links[static_cast<std::size_t>(j)].kind));
    for (const auto& edge : file.edges) result.what.edges.push_back(edge.motion);
    result.proven = true;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    result.why = error.what();
  }
  return result;
}

}  // namespace

struct Checker::Impl {
  Model model;
};

Checker::Checker(const Inputs& inputs) : impl_(new Impl) {
  try {
    if (std::fegetround() != FE_TONEAREST) throw Refusal("rounding is not to the nearest");
    impl_->model = read_model(inputs);
  } catch (...) {
    delete impl_;
    throw;
  }
}

Checker::~Checker() { delete impl_; }

CheckResult Checker::check(const std::string& text, const CheckOptions& options) const {
  return check_text(impl_->model, text, options);
}

CheckResult check_certificate(const Inputs& inputs, const std::string& text,
                              const CheckOptions& options) {
  try {
    return Checker(inputs).check(text, options);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    CheckResult result;
    result.why = error.what();
    return result;
  }
}

}  // namespace catena::certificate
