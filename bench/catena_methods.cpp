#include "catena_methods.hpp"

#include <cmath>
#include <numbers>

#include "catena/query/chain_state.hpp"
#include "support/append_link.hpp"

namespace catena::bench {

std::shared_ptr<const Robot> chain_robot(const SphereChain& chain) {
  const TorsionKinematics kinematics(chain.centres);
  const Vector3d bond = (chain.centres[1] - chain.centres[0]).normalized();
  const auto sphere = Geometry::make(Sphere{chain.radius});
  RobotDescription d;
  d.name = "chain";
  for (int i = 0; i < chain.size(); ++i) {
    const std::string name = "l" + std::to_string(i);
    if (i == 0) {
      d.links.push_back({name, {{sphere, RigidEnclosure::translation(chain.centres[0])}}});
      continue;
    }
    JointDescription& joint = test::append_link(d, name, {{sphere, {}}}, JointType::kContinuous);
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
    for (int k = 2; k <= chain.unchecked && k <= i; ++k) {
      d.disabled_pairs.push_back({"l" + std::to_string(i - k), name, "Bonds"});
    }
  }
  return RobotBuilder::build(d);
}

PlacedGeometry snake_capsule(const Snake& snake) {
  return {Geometry::make(Capsule{snake.radius, snake.length}),
          RigidEnclosure::from_rpy({0.5 * snake.length, 0, 0}, {0, 0.5 * std::numbers::pi, 0})};
}

RobotDescription snake_description(const Snake& snake, const PlacedGeometry& link, bool floating) {
  RobotDescription d;
  d.name = "snake";
  d.links = {{"world", {}}};
  if (floating) test::append_link(d, "base", {}, JointType::kFloating);
  for (int i = 0; i < snake.links; ++i) {
    JointDescription& joint =
        test::append_link(d, "l" + std::to_string(i), {link}, JointType::kContinuous);
    joint.origin = RigidEnclosure::translation({i == 0 ? 0.0 : snake.length, 0, 0});
    joint.axis = i % 2 == 0 ? Vector3d::UnitZ() : Vector3d::UnitY();
  }
  return d;
}

std::shared_ptr<const Robot> snake_robot(const Snake& snake, const PlacedGeometry& link,
                                         bool floating) {
  return RobotBuilder::build(snake_description(snake, link, floating));
}

std::shared_ptr<const Scene> surface_scene(const Triangles& triangles) {
  auto scene = std::make_shared<Scene>();
  scene->objects.push_back(
      {"pipes",
       {{Geometry::make_mesh({triangles.vertices, triangles.indices}, MeshFilling::kSurface),
         {}}}});
  return scene;
}

std::shared_ptr<const CollisionWorld> snake_world(const Triangles& scene, const Snake& snake,
                                                  bool mesh) {
  PlacedGeometry link;
  if (mesh) {
    const Triangles t = link_mesh(snake);
    link.geometry = Geometry::make_mesh({t.vertices, t.indices}, MeshFilling::kSurface);
  } else {
    link = snake_capsule(snake);
  }
  return std::make_shared<const CollisionWorld>(snake_robot(snake, link, /*floating=*/true),
                                                surface_scene(scene));
}

void set_positions(const SnakeConfiguration& c, Eigen::Ref<Eigen::VectorXd> q) {
  const auto links = static_cast<Eigen::Index>(c.q.size());
  q.tail(links) = Eigen::Map<const Eigen::VectorXd>(c.q.data(), links);
  if (q.size() == links) return;
  q.head<3>() = c.X_WB.p;
  q.segment<4>(3) = Eigen::Quaterniond(c.X_WB.R).coeffs();
}

namespace {

/// Joint k of the chain is that of a link: of a robot that is given, or of one that is made here.
class CatenaMethod : public ChainMethod {
 public:
  CatenaMethod(std::shared_ptr<const Robot> robot, std::vector<LinkIndex> joints)
      : robot_(std::move(robot)), joints_(std::move(joints)) {}

 protected:
  std::shared_ptr<const CollisionWorld> make_world(const SphereChain& chain) {
    if (robot_ == nullptr) {
      robot_ = chain_robot(chain);
      joints_.assign(robot_->active_joints().begin(), robot_->active_joints().end());
    }
    return std::make_shared<const CollisionWorld>(robot_, nullptr);
  }
  LinkIndex link(int joint) const { return joints_[static_cast<size_t>(joint)]; }
  int place_of(int joint) const { return robot_->joint(link(joint)).q_index; }
  static double turned(double from, double angle) {
    return std::remainder(from + angle, 2.0 * std::numbers::pi);
  }
  void count(const QueryStats& stats) {
    tests_.boxes += static_cast<std::int64_t>(stats.box_tests);
    tests_.spheres += static_cast<std::int64_t>(stats.element_tests);
    tests_.updates += static_cast<std::int64_t>(stats.boxes_remade);
    tests_.shortcuts_remade += static_cast<std::int64_t>(stats.shortcuts_remade);
  }

 private:
  std::shared_ptr<const Robot> robot_;
  std::vector<LinkIndex> joints_;
};

class CatenaChain : public CatenaMethod {
 public:
  using CatenaMethod::CatenaMethod;

  void init(const SphereChain& chain) override {
    state_ = std::make_unique<ChainState>(make_world(chain));
    state_->check();
    state_->commit();
  }

  bool step(int joint, double angle) override {
    state_->set(link(joint), turned(state_->positions()[place_of(joint)], angle));
    return keep();
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
    count(result.stats);
    const bool free = result.verdict == Verdict::kFree;
    if (free) {
      state_->commit();
    } else {
      state_->rollback();
    }
    return free;
  }

  std::unique_ptr<ChainState> state_;
};

// The whole state each time, with no memory of the one before.
class CatenaWhole : public CatenaMethod {
 public:
  using CatenaMethod::CatenaMethod;

  void init(const SphereChain& chain) override {
    world_ = make_world(chain);
    workspace_ = std::make_unique<Workspace>(*world_);
    q_ = world_->robot().zero_positions();
  }
  bool step(int joint, double angle) override {
    double& value = q_[place_of(joint)];
    const double before = value;
    value = turned(before, angle);
    const bool free = check().verdict == Verdict::kFree;
    if (!free) value = before;
    return free;
  }
  bool all_joints(std::span<const double> torsions) override {
    place(torsions);
    return check().verdict == Verdict::kFree;
  }
  double all_joints_distance(std::span<const double> torsions) override {
    place(torsions);
    QueryOptions options;
    options.distances = true;
    options.distance_width = 1e-9;
    const Interval bracket = check(options).distance.value();
    return 0.5 * (bracket.lo + bracket.hi);
  }

 private:
  void place(std::span<const double> torsions) {
    for (Eigen::Index i = 0; i < q_.size(); ++i) q_[i] = torsions[static_cast<size_t>(i)];
  }
  StateResult check(const QueryOptions& options = {}) {
    const StateResult result = check_state(*world_, q_, options, *workspace_);
    count(result.stats);
    return result;
  }

  std::shared_ptr<const CollisionWorld> world_;
  std::unique_ptr<Workspace> workspace_;
  Eigen::VectorXd q_;
};

class CatenaScene : public SceneMethod {
 public:
  explicit CatenaScene(bool mesh) : mesh_(mesh) {}

  void init(const Triangles& triangles, const Snake& snake) override {
    world_ = snake_world(triangles, snake, mesh_);
    workspace_ = std::make_unique<Workspace>(*world_);
    q_ = world_->robot().zero_positions();
  }

  bool is_free(const SnakeConfiguration& c) override {
    set_positions(c, q_);
    return check_state(*world_, q_, {}, *workspace_).verdict == Verdict::kFree;
  }

 private:
  const bool mesh_;
  std::shared_ptr<const CollisionWorld> world_;
  std::unique_ptr<Workspace> workspace_;
  Eigen::VectorXd q_;
};

}  // namespace

ChainMethods catena_chain_methods(std::shared_ptr<const Robot> robot,
                                  std::vector<LinkIndex> joints) {
  const bool all = robot == nullptr;
  return {{"catena", [=] { return std::make_unique<CatenaChain>(robot, joints); }, all},
          {"catena_whole", [=] { return std::make_unique<CatenaWhole>(robot, joints); }, all, false,
           all}};
}

SceneMethods catena_scene_methods() {
  return {{"catena_capsule", [] { return std::make_unique<CatenaScene>(false); }},
          {"catena_mesh", [] { return std::make_unique<CatenaScene>(true); }}};
}

}  // namespace catena::bench
