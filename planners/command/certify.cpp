#include "certify.hpp"

#include <algorithm>
#include <chrono>

#include "catena/view/animation.hpp"

namespace catena::command {

CertifiedPath certify(const CollisionWorld& world, Waypoints waypoints, const QueryOptions& options,
                      int threads) {
  CertifiedPath path;
  path.waypoints = std::move(waypoints);
  path.budget = options.budget;
  const int count = path.waypoints.num_edges();
  path.edges.resize(static_cast<size_t>(count));
  const auto begin = std::chrono::steady_clock::now();
  {
    Progress progress("certified", count);
    parallel_for(count, threads, [&](int index, int) {
      const auto i = static_cast<size_t>(index);
      Motion motion;
      path.waypoints.set_motion(world.robot(), index, motion);
      Workspace workspace(world);  // fresh: no answer shall depend on the edges before it
      path.edges[i] = check_motion(world, motion, options, workspace);
      progress.step();
    });
  }
  path.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  bool all_measured = true;
  for (int i = 0; i < count; ++i) {
    const MotionResult& edge = path.edges[static_cast<size_t>(i)];
    path.tally.add(edge.verdict);
    path.stats += edge.stats;
    if (edge.verdict == Verdict::kCollision && !path.first_collision) path.first_collision = i;
    if (edge.verdict == Verdict::kUndecided && !path.first_undecided) path.first_undecided = i;
    if (!edge.distance) {
      all_measured = false;
    } else if (!path.distance) {
      path.distance = edge.distance;
    } else {
      path.distance->lo = std::min(path.distance->lo, edge.distance->lo);
      path.distance->hi = std::min(path.distance->hi, edge.distance->hi);
    }
  }
  if (!all_measured) path.distance.reset();
  return path;
}

Json path_edges_json(const CollisionWorld& world, const CertifiedPath& path) {
  Json edges = Json::array();
  for (size_t i = 0; i < path.edges.size(); ++i)
    edges.push_back(motion_json(world, std::to_string(i), path.edges[i]));
  return edges;
}

void write_pictures(const std::shared_ptr<const CollisionWorld>& world, const CertifiedPath& path,
                    const std::string& title, const std::string& html, const std::string& gltf) {
  if (html.empty() && gltf.empty()) return;
  view::Animation animation;
  animation.world = world;
  animation.waypoints = path.waypoints;
  animation.title = title;
  animation.summary =
      path.tally.text() + " of " +
      (path.waypoints.states.size() == 1 ? "1 state" : count_text(path.edges.size(), "edge"));
  if (path.distance) animation.summary += "\ndistance " + bracket_text(*path.distance);
  if (path.waypoints.states.size() > 1) {
    for (const MotionResult& edge : path.edges) {
      using Shown = view::Animation::EdgeVerdict;
      animation.edge_verdicts.push_back(edge.verdict == Verdict::kFree        ? Shown::kFree
                                        : edge.verdict == Verdict::kCollision ? Shown::kCollision
                                                                              : Shown::kUndecided);
      animation.edge_progress.push_back({edge.free_until, edge.contact});
      animation.edge_labels.push_back(motion_text(*world, edge, path.budget));
    }
  }
  if (path.first_collision) {
    const MotionResult& edge = path.edges[static_cast<size_t>(*path.first_collision)];
    if (const auto pair = report_pair(*world, edge.witness)) {
      animation.contact = view::Animation::Contact{
          *path.first_collision + edge.contact.value_or(edge.free_until), pair->first, pair->second,
          0.5 * (pair->point_first + pair->point_second)};
      animation.summary += "\nfirst contact: " + pair->first + " and " + pair->second;
    }
  }
  if (!html.empty()) view::write_html(animation, html);
  if (!gltf.empty()) view::write_gltf(animation, gltf);
}

}  // namespace catena::command
