#pragma once

#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "catena/model/motion.hpp"
#include "catena/query/collision_world.hpp"
#include "soundness/chain_bridge.hpp"
#include "soundness/engine_bridge.hpp"
#include "soundness/kinematics.hpp"
#include "soundness/robots.hpp"
#include "support/random.hpp"

namespace catena::oracle {

/// A random robot, or several, with or without a scene; and an edge or a spline of it on which all
/// joints move or some.
struct MotionCase {
  RobotSpec spec;
  std::shared_ptr<const CollisionWorld> world;
  std::vector<double> q0, q1;
  std::optional<SplineSpec> spline;
  Motion motion;
  std::string where;

  template <class T>
  void tell(Kinematics<T>& truth) const {
    if (spline) {
      truth.set_spline(*spline);
    } else {
      truth.set_motion(q0, q1);
    }
  }
};

inline MotionCase random_motion_case(test::Rng& rng, const std::string& seed, int links,
                                     bool with_scene = false) {
  ChainWorldOptions options;
  options.links = links;
  const ChainWorld chain = random_chain_world(rng, options);
  MotionCase c;
  c.spec = chain.merged();
  const auto robot = make_robots(chain);
  c.world =
      std::make_shared<const CollisionWorld>(robot, with_scene ? make_scene(chain.scene) : nullptr);
  c.q0 = random_configuration(c.spec, rng);
  if (rng() % 2 == 0) c.q0 = blend(c.spec, home(c.spec), c.q0, test::uniform(rng, 0, 1));
  const auto far = random_configuration(c.spec, rng);
  const double share = std::pow(10.0, test::uniform(rng, -6.0, 0.0));
  c.q1 = blend(c.spec, c.q0, far, share);
  if (rng() % 3 == 0) c.q1 = change_some(c.spec, c.q0, c.q1, 1 + int(rng() % 2), rng);
  if (rng() % 4 == 0) c.spline = random_spline(c.spec, c.q0, c.q1, rng);
  c.motion = c.spline
                 ? make_motion(*robot, c.spec, *c.spline)
                 : Motion(*robot, positions(*robot, c.spec, c.q0), positions(*robot, c.spec, c.q1));
  c.where =
      seed + " " + chain.kind + " share " + std::to_string(share) + (c.spline ? " spline" : "");
  return c;
}

/// Points on the surface of a geometry at X_FG, in random directions; in F.
inline std::vector<Vector3d> surface_points(const Geometry& g, const RigidTransform& X_FG,
                                            int count, test::Rng& rng) {
  std::vector<Vector3d> points;
  for (int k = 0; k < count; ++k) {
    const ConvexShape e = g.element(int(rng() % std::uint64_t(g.num_elements())));
    const Vector3d d =
        Vector3d(test::uniform(rng, -1, 1), test::uniform(rng, -1, 1), test::uniform(rng, -1, 1))
            .normalized();
    points.push_back(X_FG * Vector3d(e.support(d) + e.radius * d));
  }
  return points;
}

}  // namespace catena::oracle
