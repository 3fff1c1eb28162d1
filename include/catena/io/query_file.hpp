#pragma once

#include <map>
#include <string>
#include <vector>

namespace catena::io {

/// The query file of docs/formats.md, as read: names resolved, sizes not yet held against a robot.
/// Non-numbers ("nan", "inf", null) are InputErrors that name the state only if it is used.
struct QueryFile {
  struct Check {
    std::string state;
    std::string scene, robot;  ///< paths, resolved; empty: the command line's
  };
  struct Edge {
    std::string id, from, to;
    std::string scene, robot;
  };

  std::string path;
  std::vector<std::string> joint_order;
  std::map<std::string, std::string> packages;
  std::map<std::string, std::vector<double>> states;  ///< may hold NaN or infinity as read
  std::map<std::string, double> others;
  std::vector<Check> check;
  std::vector<Edge> edges;
  std::vector<std::string> warnings;  ///< keys that are ignored
};

QueryFile load_query(const std::string& path);  ///< throws InputError

}  // namespace catena::io
