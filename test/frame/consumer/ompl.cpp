// A planning program of somebody else: a ball on a rail, planned with OMPL's default planner.
#include <iostream>

#include <catena/model/robot_builder.hpp>
#include <catena/ompl/setup.hpp>

int main() {
  catena::RobotDescription cart{.name = "cart", .links = {{"rail", {}}, {"ball", {}}}};
  cart.links[1].collision.push_back({catena::Geometry::make(catena::Sphere{0.1}), {}});
  cart.joints.push_back({"slide", catena::JointType::kPrismatic, "rail", "ball"});
  cart.joints[0].lower = -1.0;
  cart.joints[0].upper = 1.0;
  catena::ompl::Setup setup(catena::RobotBuilder::build(cart),
                            std::make_shared<const catena::Scene>());
  setup.setStartAndGoalStates(std::vector<double>{-0.5}, std::vector<double>{0.5});
  const bool solved = setup.solve(5.0) == ompl::base::PlannerStatus::EXACT_SOLUTION;
  std::cout << (solved ? "solved\n" : "not solved\n");
  return solved ? 0 : 1;
}
