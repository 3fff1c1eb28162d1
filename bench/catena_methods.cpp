#include "catena_methods.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "catena/model/robot_builder.hpp"
#include "catena/query/chain_state.hpp"

namespace catena::bench {

std::shared_ptr<const Robot> make_chain_robot(const SphereChain& chain) {
  const TorsionKinematics kinematics(chain.centres);
  const Vector3d bond = (chain.centres[1] - chain.centres[0]).normalized();
  const auto sphere = Geometry::make(Sphere{chain.radius});
  RobotDescription d;
  d.name = "chain";
  for (int i = 0; i < chain.size(); ++i) {
    const std::string name = "l" + std::to_string(i);
    d.links.push_back({name, {{sphere, {}}}});
    if (i == 0) {
      d.links.back().collision[0].X_FG = RigidEnclosure::translation(chain.centres[0]);
      continue;
    }
    JointDescription joint;
    joint.name = "j" + std::to_string(i);
    joint.type = JointType::kContinuous;
    joint.parent = "l" + std::to_string(i - 1);
    joint.child = name;
    if (i == 1) {
      // Any frame with its x axis along the first bond.
      const Vector3d across =
          (std::abs(bond.z()) < 0.9 ? Vector3d::UnitZ() : Vector3d::UnitX()).cross(bond);
      joint.origin.X.R << bond, across.normalized(), bond.cross(across).normalized();
    } else {
      joint.origin.X.R = kinematics.bend(i - 2);
    }
    joint.origin.X.p = joint.origin.X.R.col(0) * kinematics.length(i - 1);
    if (i == 1) joint.origin.X.p += chain.centres[0];
    joint.origin.rotation_error = 1e-14;
    d.joints.push_back(joint);
  }
  for (int i = 0; i < chain.size(); ++i) {
    for (int j = i + 2; j <= std::min(i + chain.window, chain.size() - 1); ++j) {
      d.disabled_pairs.push_back({"l" + std::to_string(i), "l" + std::to_string(j), "near"});
    }
  }
  return RobotBuilder::build(d);
}

namespace {

class CatenaChain : public ChainMethod {
 public:
  void init(const SphereChain& chain) override {
    const auto world = std::make_shared<const CollisionWorld>(make_chain_robot(chain), nullptr);
    state_ = std::make_unique<ChainState>(world);
    angles_.assign(chain.centres.size(), 0.0);
    state_->check();
    state_->commit();
  }

  bool step(int joint, double angle) override {
    const double to =
        std::remainder(angles_[static_cast<size_t>(joint)] + angle, 2.0 * std::numbers::pi);
    state_->set(LinkIndex(joint + 1), to);
    if (!keep()) return false;
    angles_[static_cast<size_t>(joint)] = to;
    return true;
  }

  bool all_joints(std::span<const double> torsions) override {
    Eigen::VectorXd q = state_->positions();
    for (Eigen::Index i = 0; i < q.size(); ++i) q[i] = torsions[static_cast<size_t>(i)];
    state_->set(q);
    return keep();
  }

 private:
  bool keep() {
    const ChainState::Result result = state_->check();
    tests_.boxes += static_cast<std::int64_t>(result.stats.box_tests);
    tests_.spheres += static_cast<std::int64_t>(result.stats.element_tests);
    const bool free = result.verdict == Verdict::kFree;
    if (free) {
      state_->commit();
    } else {
      state_->rollback();
    }
    return free;
  }

  std::unique_ptr<ChainState> state_;
  std::vector<double> angles_;
};

// The whole state each time, with no memory of the one before.
class CatenaWhole : public ChainMethod {
 public:
  void init(const SphereChain& chain) override {
    world_ = std::make_unique<const CollisionWorld>(make_chain_robot(chain), nullptr);
    workspace_ = std::make_unique<Workspace>(*world_);
    q_ = world_->robot().zero_positions();
  }
  bool step(int joint, double angle) override {
    const double before = q_[joint];
    q_[joint] = std::remainder(before + angle, 2.0 * std::numbers::pi);
    const bool free = check();
    if (!free) q_[joint] = before;
    return free;
  }
  bool all_joints(std::span<const double> torsions) override {
    place(torsions);
    return check();
  }
  double all_joints_distance(std::span<const double> torsions) override {
    place(torsions);
    QueryOptions options;
    options.distances = true;
    options.distance_width = 1e-9;
    const Interval bracket = count(check_state(*world_, q_, options, *workspace_)).distance.value();
    return 0.5 * (bracket.lo + bracket.hi);
  }

 private:
  void place(std::span<const double> torsions) {
    for (Eigen::Index i = 0; i < q_.size(); ++i) q_[i] = torsions[static_cast<size_t>(i)];
  }
  bool check() {
    return count(check_state(*world_, q_, {}, *workspace_)).verdict == Verdict::kFree;
  }
  StateResult count(const StateResult& result) {
    tests_.boxes += static_cast<std::int64_t>(result.stats.box_tests);
    tests_.spheres += static_cast<std::int64_t>(result.stats.element_tests);
    return result;
  }

  std::unique_ptr<const CollisionWorld> world_;
  std::unique_ptr<Workspace> workspace_;
  Eigen::VectorXd q_;
};

class CatenaScene : public SceneMethod {
 public:
  explicit CatenaScene(bool mesh) : mesh_(mesh) {}

  void init(const Triangles& triangles, const Snake& snake) override {
    TriangleMesh obstacles{triangles.vertices, triangles.indices};
    auto scene = std::make_shared<Scene>();
    scene->objects.push_back(
        {"pipes", {{Geometry::make_mesh(std::move(obstacles), MeshFilling::kSurface), {}}}});

    RobotDescription d;
    d.name = "snake";
    d.links = {{"world", {}}, {"base", {}}};
    JointDescription root;
    root.name = "root";
    root.type = JointType::kFloating;
    root.parent = "world";
    root.child = "base";
    d.joints.push_back(root);
    PlacedGeometry link;
    if (mesh_) {
      const Triangles t = link_mesh(snake);
      link.geometry = Geometry::make_mesh({t.vertices, t.indices}, MeshFilling::kSurface);
    } else {
      link = {Geometry::make(Capsule{snake.radius, snake.length}),
              RigidEnclosure::from_rpy({0.5 * snake.length, 0, 0}, {0, 0.5 * std::numbers::pi, 0})};
    }
    for (int i = 0; i < snake.links; ++i) {
      d.links.push_back({"l" + std::to_string(i), {link}});
      JointDescription joint;
      joint.name = "j" + std::to_string(i);
      joint.type = JointType::kContinuous;
      joint.parent = i == 0 ? "base" : "l" + std::to_string(i - 1);
      joint.child = d.links.back().name;
      joint.origin = RigidEnclosure::translation({i == 0 ? 0.0 : snake.length, 0, 0});
      joint.axis = i % 2 == 0 ? Vector3d::UnitZ() : Vector3d::UnitY();
      d.joints.push_back(joint);
    }
    world_ = std::make_unique<const CollisionWorld>(RobotBuilder::build(d), scene);
    workspace_ = std::make_unique<Workspace>(*world_);
    q_ = world_->robot().zero_positions();
  }

  bool is_free(const SnakeConfiguration& c) override {
    const Eigen::Quaterniond turn(c.X_WB.R);
    q_.head<3>() = c.X_WB.p;
    q_.segment<4>(3) = turn.coeffs();
    for (size_t i = 0; i < c.q.size(); ++i) q_[static_cast<Eigen::Index>(7 + i)] = c.q[i];
    return check_state(*world_, q_, {}, *workspace_).verdict == Verdict::kFree;
  }

 private:
  const bool mesh_;
  std::unique_ptr<const CollisionWorld> world_;
  std::unique_ptr<Workspace> workspace_;
  Eigen::VectorXd q_;
};

}  // namespace

ChainMethods catena_chain_methods() {
  return {{"catena", [] { return std::make_unique<CatenaChain>(); }},
          {"catena_whole", [] { return std::make_unique<CatenaWhole>(); }, true, false, true}};
}

SceneMethods catena_scene_methods() {
  return {{"catena_capsule", [] { return std::make_unique<CatenaScene>(false); }},
          {"catena_mesh", [] { return std::make_unique<CatenaScene>(true); }}};
}

}  // namespace catena::bench
