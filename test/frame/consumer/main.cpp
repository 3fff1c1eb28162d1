// A program of somebody else: a ball on a rail, and the certified verdict for one of its motions.
#include <iostream>

#include <catena/model/robot_builder.hpp>
#include <catena/query/continuous.hpp>

int main() {
  catena::RobotDescription cart{.name = "cart", .links = {{"rail", {}}, {"ball", {}}}};
  cart.links[1].collision.push_back({catena::Geometry::make(catena::Sphere{0.1}), {}});
  cart.joints.push_back({"slide", catena::JointType::kPrismatic, "rail", "ball"});
  catena::Scene scene;
  scene.objects.push_back(
      {"wall", {{catena::Geometry::make(catena::HalfSpace{{-1, 0, 0}, -1.2}), {}}}});
  const catena::CollisionWorld world(catena::RobotBuilder::build(cart),
                                     std::make_shared<catena::Scene>(scene));
  catena::Workspace workspace(world);
  for (const double end : {1.0, 1.5}) {
    const catena::Motion motion(world.robot(), Eigen::VectorXd::Zero(1),
                                Eigen::VectorXd::Constant(1, end));
    std::cout << name_of(catena::check_motion(world, motion, {}, workspace).verdict) << "\n";
  }
}
