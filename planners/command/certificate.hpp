#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "catena/model/waypoints.hpp"
#include "problem.hpp"
#include "report.hpp"

namespace catena::command {

/// What a written certificate is, or a given one was found to be.
struct CertificateReport {
  std::string path;
  bool proven = false;
  std::string why;  ///< one line; empty if proven
  std::uint64_t entries = 0;
  double seconds = 0.0;
};

/// From one state to another, or a spline.
struct Edge {
  Knot from, to;
  double duration = 0.0;  ///< of a spline; 0: it is none
};
using Edges = std::vector<Edge>;

/// A path of one state is an edge that stands still.
Edges edges_of(const Waypoints& waypoints);

/// Writes the certificate of the edges, after the checker has accepted it; otherwise no file is
/// written, and the report says why.
CertificateReport write_certificate(const std::shared_ptr<const CollisionWorld>& world,
                                    const CommonOptions& options, const Edges& edges,
                                    const std::string& path);

/// Re-checks a certificate, and that it is about each of these edges, with no less a clearance.
CertificateReport recheck_certificate(const CollisionWorld& world, const CommonOptions& options,
                                      const Edges& edges, const std::string& path);

Json certificate_json(const CertificateReport& report);

/// One line for people.
std::string certificate_text(const CertificateReport& report, bool written);

}  // namespace catena::command
