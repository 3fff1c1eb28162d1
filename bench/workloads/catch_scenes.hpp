#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "catena/model/scene.hpp"
#include "catena/model/waypoints.hpp"

namespace catena::bench {

/// One of the scenarios of [Zhang2007], rebuilt: a robot and a scene of triangle meshes that are
/// made by procedure, and scripted motions. Metres, radians; nothing is drawn but by fixed seeds.
struct CatchScenario {
  std::string name;
  std::shared_ptr<const Robot> robot;  ///< where there are several, one model of all
  std::shared_ptr<const Scene> scene;

  struct Series {
    std::string name;
    std::vector<Waypoints> paths;
  };
  std::vector<Series> series;

  /// Starts and goals to plan between: whole position vectors of the robot.
  std::vector<std::pair<Eigen::VectorXd, Eigen::VectorXd>> problems;
};

/// A mannequin of 15 links and 20,000 triangles. Its root is a floating joint; shoulders, hips, the
/// neck and the waist are balls.
std::shared_ptr<const Robot> mannequin();

/// The mannequin walks in six lanes between, and into, 16 chessmen of 101,000 triangles.
CatchScenario walking_mannequin();

/// The mannequin moves from one key pose to the next, and touches itself.
CatchScenario exercising_mannequin();

/// A building site of 400,000 triangles: terrain, a storeyed frame, its scaffold, piles of rocks.
std::shared_ptr<const Scene> building_site();

/// A tower crane beside the frame: its jib turns, a trolley runs along it, a load hangs below on a
/// rope of four telescoping pieces and turns.
CatchScenario tower_crane(std::shared_ptr<const Scene> site);

/// An excavator among the piles of rocks: its base drives in the plane; house, boom, stick, bucket.
CatchScenario excavator(std::shared_ptr<const Scene> site);

/// Four trains of ten cars, 23,000 triangles each, on tracks that cross each other.
CatchScenario four_trains();

/// One of the trains, its couplings balls, runs off a cliff and over 29,000 triangles of hills.
CatchScenario falling_train();

}  // namespace catena::bench
