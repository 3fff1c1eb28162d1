#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace catena::certificate {

/// How a mesh's inside is judged: by the mesh (solid if it is closed), or as told.
enum class Filling : std::uint8_t { kDetect, kSolid, kSurface };

/// The files that a certificate is about.
struct Inputs {
  std::string robot, srdf;                      ///< URDF; no SRDF: empty
  std::vector<std::string> scenes;              ///< of the small JSON or YAML form
  std::map<std::string, std::string> packages;  ///< where package://NAME/ is
  std::map<std::string, Filling> fillings;      ///< by the name of a link or a scene's object
  struct Companion {
    std::string name, robot;
    std::array<double, 6> pose{};  ///< x, y, z, roll, pitch, yaw
  };
  std::vector<Companion> companions;  ///< further robots; their links and joints are NAME/...
};

/// What a certificate that was not refused proves: that no checked pair comes as near as
/// `clearance`, at any time of any of these motions.
struct Proven {
  double clearance = 0.0;             ///< metres
  std::vector<std::string> joints;    ///< in the order of the values below
  std::vector<int> num_values;        ///< of each joint
  using State = std::vector<double>;  ///< all joints' values, one after another
  struct Edge {
    State from, to;
    double duration = 0.0;  ///< s, of a spline; 0: as the OMPL state space interpolates
    State from_velocity, to_velocity, from_acceleration, to_acceleration;  ///< by s and s^2
    auto operator<=>(const Edge&) const = default;
  };
  std::vector<Edge> edges;
};

/// Work that was done, and how much of it is allowed.
struct CheckStats {
  std::uint64_t entries = 0;      ///< planes of all edges
  std::uint64_t evaluations = 0;  ///< parts held against a plane over some time
  std::uint64_t regions = 0;      ///< products of blocks met while the cover was proven
  std::uint64_t outside = 0;      ///< points proven outside a solid
};

struct CheckOptions {
  std::uint64_t budget = std::uint64_t{1} << 33;  ///< steps, vertices and faces included
};

struct CheckResult {
  bool proven = false;
  std::string why;  ///< one line: what is not proven (or not readable), and why; empty if proven
  Proven what;      ///< meaningful only if `proven`
  CheckStats stats;
};

/// Does this certificate (its text; docs/formats.md) prove its edges free, for these files?
///
/// Shares no code with the engine: it reads robot, scene and meshes itself, has kinematics of its
/// own in 100-bit arithmetic with radii, derives the pairs to be covered itself, and refuses
/// whatever it does not prove. Accepted means proven; refused means nothing.
/// Rigor     docs/rigor.md, R11.
/// Cost      bounded by the budget, whatever the text says. Some microseconds for each part of an
///           entry's blocks and each interval into which the entry is halved, and for each link and
///           the middle of each such interval.
/// Threads   no state; sets nothing. Refuses where rounding is not to the nearest.
/// Errors    none thrown for any text or files but std::bad_alloc.
CheckResult check_certificate(const Inputs& inputs, const std::string& text,
                              const CheckOptions& options = {});

/// The same in two steps, for many certificates of one robot and scene.
class Checker {
 public:
  explicit Checker(const Inputs& inputs);  ///< throws std::runtime_error for unusable files
  ~Checker();
  Checker(const Checker&) = delete;
  Checker& operator=(const Checker&) = delete;

  CheckResult check(const std::string& text, const CheckOptions& options = {}) const;

 private:
  struct Impl;
  Impl* impl_;
};

}  // namespace catena::certificate
