#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "catena/model/waypoints.hpp"
#include "catena/query/collision_world.hpp"

namespace catena::view {

/// A path of a robot in its scene, to look at: what a picture shows, not how.
///
/// Frames    points are in the world frame W.
/// Units     metres, radians; times in seconds, if given.
struct Animation {
  std::shared_ptr<const CollisionWorld> world;

  /// The path or trajectory. One state is a picture that stands still. Without times, edges take
  /// times by how much they move.
  Waypoints waypoints;

  /// A proven contact, to be highlighted.
  struct Contact {
    double edge_time = 0.0;      ///< index of the edge + t on it, t in [0, 1]
    std::string body_a, body_b;  ///< as CollisionWorld names them; unknown names are not marked
    Eigen::Vector3d point = Eigen::Vector3d::Zero();
  };
  std::optional<Contact> contact;

  enum class EdgeVerdict : std::uint8_t { kUnknown, kFree, kCollision, kUndecided };
  /// One for each edge, or empty (all unknown): the colour of the edge on the time bar.
  std::vector<EdgeVerdict> edge_verdicts;

  /// What is known along an edge, t in [0, 1]: proven free before `free_until`, in contact at
  /// `contact`, if at all; nothing is said of what lies between, or behind the contact.
  struct EdgeProgress {
    double free_until = 0.0;
    std::optional<double> contact;  ///< >= free_until
  };
  /// One for each edge, or empty: an edge then has its verdict's colour from end to end. With it,
  /// an edge that is not free is green up to free_until and red only from its contact on.
  std::vector<EdgeProgress> edge_progress;

  /// One for each edge, or empty: text shown while the edge is played, as "free, 0.0123 m".
  std::vector<std::string> edge_labels;

  std::string title;    ///< empty: the robot's name
  std::string summary;  ///< one to five short lines, separated by '\n'
};

struct HtmlOptions {
  /// The three.js library (r111, three.min.js) to inline. Empty: the environment variable
  /// CATENA_THREE_JS, else the place where the build found it (Debian: libjs-three).
  std::string three_js;
};

/// One self-contained page: robot, scene, the path as an animation with a time bar, the contact.
///
/// Every name is written as data or escaped text, so a name cannot become markup or script.
/// Errors    std::invalid_argument for a missing world, no states, wrong sizes, values that are not
///           finite, and what Motion refuses; std::runtime_error, with the remedy, if three.js
///           cannot be read or the page cannot be written.
void write_html(const Animation& animation, const std::string& path,
                const HtmlOptions& options = {});

/// A binary glTF 2.0 file: one node a link, moved by one animation; scene objects stand still.
/// glTF's y axis points up, ours is z: the root node turns. Errors as for write_html.
void write_gltf(const Animation& animation, const std::string& path);

}  // namespace catena::view
