// Bounds of motions that are summed joint by joint: they may not be too small where all joints
// close one gap together, and they are little larger then.
#include "query/summed_bounds.hpp"

#include <algorithm>
#include <complex>
#include <map>
#include <memory>

#include <gtest/gtest.h>

#include "catena/model/robot_builder.hpp"
#include "support/append_link.hpp"
#include "support/random.hpp"

namespace catena {
namespace {

using test::Rng;
using test::uniform;
using Complex = std::complex<long double>;

constexpr double kLength = 0.5, kOffset = 0.25, kRadius = 1e-4;

/// A hairpin in the plane, a ball at kOffset along each of its links: two arms up from a short
/// bend. Its joints turn, or shift across, so that the arms close.
struct Hairpin {
  std::shared_ptr<const Robot> robot;
  std::vector<int> parents;      // of links; -1: none
  std::vector<Complex> origins;  // of joints, in the parent
  std::vector<double> angles, ways;
  std::vector<bool> shifts;

  /// Where the balls are when every joint has gone `share` of its way.
  std::vector<Complex> places(long double share) const {
    std::vector<Complex> at(parents.size()), balls{kOffset};
    std::vector<long double> heading(parents.size());
    for (size_t i = 1; i < parents.size(); ++i) {
      const auto p = size_t(parents[i]);
      const long double way = share * ways[i];
      heading[i] = heading[p] + angles[i] + (shifts[i] ? 0.0L : way);
      at[i] = at[p] + origins[i] * std::polar<long double>(1.0L, heading[p]);
      if (shifts[i]) at[i] += Complex(0, way) * std::polar<long double>(1.0L, heading[i]);
      balls.push_back(at[i] + std::polar<long double>(kOffset, heading[i]));
    }
    return balls;
  }
};

/// From one tip to the other; `branched`: from the bend to both, and to a third arm, which may be
/// the longest.
Hairpin make_hairpin(int arm, bool branched, Rng& rng) {
  Hairpin pin;
  RobotDescription d;
  d.name = "hairpin";
  const double quarter = std::acos(0.0);
  const PlacedGeometry ball{Geometry::make(Sphere{kRadius}),
                            RigidEnclosure::translation({kOffset, 0, 0})};
  // So much at the bend, far off, that both arms are seen from a link that is in neither.
  d.links.push_back({"link_0", {}});
  for (int k = 0; k < (branched ? 2 * arm + 2 : 1); ++k) {
    d.links[0].collision.push_back(ball);
    if (branched) d.links[0].collision.back().X_FG.X.p = {-3.0, -0.01 * k, 0.0};
  }
  pin.parents = {-1};
  pin.origins = {Complex(0, 0)};
  pin.angles = pin.ways = {0.0};
  pin.shifts = {false};
  // Turns by `turn`, counter-clockwise, or shifts by `shift` along its own y, as much.
  const auto add = [&](int parent, double x, double angle, double turn, double shift) {
    const std::string name = "link_" + std::to_string(d.links.size());
    const bool shifts = uniform(rng, 0, 1) < 0.2;
    JointDescription& joint =
        test::append_link(d, name, {ball}, shifts ? JointType::kPrismatic : JointType::kRevolute);
    joint.parent = d.links[size_t(parent)].name;
    joint.origin = RigidEnclosure::from_rpy({x, 0, 0}, {0, 0, angle});
    joint.axis = shifts ? Vector3d::UnitY() : Vector3d::UnitZ();
    pin.parents.push_back(parent);
    pin.origins.emplace_back(x, 0);
    pin.angles.push_back(angle);
    pin.ways.push_back(1e-3 * uniform(rng, 0.2, 1.0) * (shifts ? shift : turn));
    pin.shifts.push_back(shifts);
    return int(d.links.size()) - 1;
  };
  int last = 0;
  if (branched) {
    last = add(0, 0.0, quarter, -1.0, -1.0);
    for (int k = 0; k < arm; ++k) last = add(last, kLength, 0.0, -1.0, -1.0);
    last = add(0, kLength, quarter, 1.0, 1.0);
  } else {
    for (int k = 0; k < arm; ++k) last = add(last, kLength, 0.0, 1.0, -1.0);
    last = add(last, 0.0, quarter, 1.0, 1.0);
    last = add(last, kLength, quarter, 1.0, 1.0);
  }
  for (int k = 0; k < arm; ++k) last = add(last, kLength, 0.0, 1.0, 1.0);
  const int third = branched ? int(rng() % 2) * (arm + 2) : 0;
  for (int k = 0; k < third; ++k)
    last = add(k == 0 ? 0 : last, kLength, k == 0 ? -quarter : 0.0, 1.0, 1.0);
  pin.robot = RobotBuilder::build(d);
  return pin;
}

// Property: two balls that come as near as the clearance are left open; two that stay a little
// farther than that are not. Oracle: the plane's closed forms in 80 bits.
TEST(SummedBounds, HoldWhereAllJointsCloseOneGap) {
  Rng rng(61);
  int must_stay = 0, dropped = 0, asked = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const int arm = 1 + int(rng() % 12);
    const bool branched = trial % 3 == 2;
    const Hairpin pin = make_hairpin(arm, branched, rng);
    const CollisionWorld world(pin.robot, nullptr);
    const size_t n = pin.parents.size();
    Eigen::VectorXd middle = pin.robot->zero_positions(), q0 = middle, q1 = middle;
    for (int i = 1; i < pin.robot->num_links(); ++i) {
      const std::string& name = pin.robot->joint(LinkIndex(i)).name;
      const int link = std::stoi(name.substr(5));
      q0[i - 1] = -pin.ways[size_t(link)];
      q1[i - 1] = pin.ways[size_t(link)];
    }
    const Motion motion(*pin.robot, q0, q1);
    std::vector<RigidEnclosure> X_WL(size_t(pin.robot->num_links()));
    motion.poses(*pin.robot, 0.5, X_WL);

    // The least distance of every two balls.
    std::vector<std::vector<long double>> least(n, std::vector<long double>(n, 1e9L));
    const std::vector<Complex> still = pin.places(0.0L);
    for (int step = -4; step <= 4; ++step) {
      const std::vector<Complex> at = pin.places(step / 4.0L);
      for (size_t a = 0; a < n; ++a) {
        for (size_t b = 0; b < n; ++b) least[a][b] = std::min(least[a][b], std::abs(at[a] - at[b]));
      }
    }
    const auto link_of = [&](int node) {
      const int part = world.chain_tree().nodes()[size_t(node)].part;
      return size_t(std::stoi(world.body(world.geometries()[size_t(part)].body).name.substr(5)));
    };
    internal::SummedBounds bounds(world);
    bounds.set(world, motion, 0.5, X_WL);
    const auto is_open = [&](size_t a, size_t b, double clearance) {
      const auto nodes = world.chain_tree().nodes();
      for (int top = 0; top < int(nodes.size()); ++top) {
        if (nodes[size_t(top)].left < 0) continue;
        std::vector<std::pair<int, int>> open;
        bounds.find_open(top, clearance, open);
        for (const auto& [i, k] : open) {
          const size_t x = link_of(i), y = link_of(k);
          if (std::minmax(x, y) == std::minmax(a, b)) return true;
        }
      }
      return false;
    };
    for (int k = 0; k < 12; ++k) {
      const size_t a = rng() % n, b = rng() % n;
      if (a == b || (branched && std::min(a, b) == 0)) continue;
      const double gap = double(least[a][b]) - 2.0 * kRadius;
      if (gap <= 0.0) continue;
      ASSERT_TRUE(is_open(a, b, gap * (1.0 + 1e-9)))
          << "seed 61 trial " << trial << " links " << a << " " << b;
      ++must_stay;
    }
    // The tips: straight arms beside each other, which all joints swing towards each other.
    const size_t tip = branched ? size_t(arm) + 1 : 0,
                 other = branched ? 2 * size_t(arm) + 2 : n - 2;
    const double start = double(std::abs(still[tip] - still[other])) - 2.0 * kRadius;
    const double closed = start - (double(least[tip][other]) - 2.0 * kRadius);
    ASSERT_TRUE(is_open(tip, other, (start - closed) * (1.0 + 1e-9))) << "seed 61 trial " << trial;
    if (arm < 6) continue;
    ++asked;
    dropped += is_open(tip, other, start - 1.4 * closed) ? 0 : 1;
  }
  EXPECT_GT(must_stay, 1000);
  EXPECT_GT(asked, 30);
  EXPECT_EQ(dropped, asked);
}

}  // namespace
}  // namespace catena
