#include "certificate.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <ostream>
#include <set>
#include <stdexcept>
#include <utility>

#include "catena/certificate/check.hpp"
#include "catena/io/input_error.hpp"
#include "catena/query/certificate.hpp"
#include "catena/view/replace_file.hpp"
#include "stopwatch.hpp"

namespace catena::command {
namespace {

/// The same files and options, for the checker to read by itself.
certificate::Inputs checker_inputs(const CommonOptions& options) {
  certificate::Inputs inputs;
  inputs.robot = options.robot;
  inputs.srdf = options.srdf;
  inputs.scenes = options.scenes;
  for (const std::string& text : options.packages)
    inputs.packages.insert(split_assignment(options.command, "--package", text));
  for (const std::string& name : options.solid)
    inputs.fillings[name] = certificate::Filling::kSolid;
  for (const std::string& name : options.surface)
    inputs.fillings[name] = certificate::Filling::kSurface;
  for (const std::string& text : options.with) {
    const auto [name, rest] = split_assignment(options.command, "--with", text);
    certificate::Inputs::Companion companion{name, rest, {}};
    if (const size_t at = rest.rfind('@'); at != std::string::npos) {
      companion.robot = rest.substr(0, at);
      if (const auto pose = parse_numbers(rest.substr(at + 1)); pose && pose->size() == 6)
        std::copy(pose->begin(), pose->end(), companion.pose.begin());
    }
    inputs.companions.push_back(std::move(companion));
  }
  return inputs;
}

}  // namespace

Edges edges_of(const Waypoints& waypoints) {
  Edges edges;
  const auto& states = waypoints.states;
  for (int i = 0; i < waypoints.num_edges(); ++i) {
    const auto from = static_cast<size_t>(i);
    if (auto spline = waypoints.spline(i)) {
      edges.push_back({std::move(spline->from), std::move(spline->to), spline->duration});
    } else {
      edges.push_back(
          {{states[from], {}, {}}, {states[std::min(from + 1, states.size() - 1)], {}, {}}});
    }
  }
  return edges;
}

CertificateReport write_certificate(const std::shared_ptr<const CollisionWorld>& world,
                                    const CommonOptions& options, const Edges& edges,
                                    const std::string& path) {
  const Stopwatch watch;
  CertificateReport report;
  report.path = path;
  try {
    CertificateWriter writer(world, {options.clearance, CertificateOptions{}.budget});
    Progress progress("certificates of", static_cast<int>(edges.size()));
    for (size_t i = 0; i < edges.size(); ++i) {
      const Edge& edge = edges[i];
      if (const auto why = edge.duration > 0.0 ? writer.add(edge.from, edge.to, edge.duration)
                                               : writer.add(edge.from.q, edge.to.q)) {
        report.why = "edge " + std::to_string(i) + ": " + *why;
        break;
      }
      progress.step();
    }
    std::string text;
    if (report.why.empty()) {
      try {
        text = writer.text();
      } catch (const std::runtime_error& error) {
        report.why = error.what();
      }
    }
    if (report.why.empty()) {
      const auto checked = certificate::check_certificate(checker_inputs(options), text);
      report.proven = checked.proven;
      report.why = checked.why;
      report.entries = checked.stats.entries;
      if (report.proven)
        view::replace_file(path, "the certificate", [&](std::ostream& out) { out << text; });
    }
  } catch (const std::invalid_argument& error) {
    report.why = error.what();
  }
  report.seconds = watch.seconds();
  return report;
}

CertificateReport recheck_certificate(const CollisionWorld& world, const CommonOptions& options,
                                      const Edges& edges, const std::string& path) {
  const Stopwatch watch;
  CertificateReport report;
  report.path = path;
  std::ifstream stream(path, std::ios::binary);
  if (!stream)
    throw io::InputError(path, 0, "", "the certificate cannot be opened", "correct --certificate");
  const std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  const auto checked = certificate::check_certificate(checker_inputs(options), text);
  report.why = checked.why;
  report.entries = checked.stats.entries;
  report.proven = checked.proven;
  if (report.proven && checked.what.clearance < options.clearance) {
    report.why = "it proves a clearance of " + number_text(checked.what.clearance) + " m only";
  } else if (report.proven) {
    // Values in the certificate's order; the checker knows every joint, so they are all there.
    const auto state_of = [&](const Eigen::VectorXd& q) {
      std::vector<double> values;
      if (q.size() == 0) return values;
      for (const std::string& name : checked.what.joints) {
        const LinkIndex index = world.robot().find_joint(name);
        if (!index.valid()) return std::vector<double>();
        const Joint& joint = world.robot().joint(index);
        for (int k = 0; k < num_values(joint.type); ++k) values.push_back(q[joint.q_index + k]);
      }
      return values;
    };
    const std::set<certificate::Proven::Edge> known(checked.what.edges.begin(),
                                                    checked.what.edges.end());
    for (size_t i = 0; i < edges.size() && report.why.empty(); ++i)
      if (!known.contains({state_of(edges[i].from.q), state_of(edges[i].to.q), edges[i].duration,
                           state_of(edges[i].from.velocity), state_of(edges[i].to.velocity),
                           state_of(edges[i].from.acceleration),
                           state_of(edges[i].to.acceleration)}))
        report.why = "it says nothing of edge " + std::to_string(i) + " of the path";
  }
  report.proven = report.why.empty();
  report.seconds = watch.seconds();
  return report;
}

Json certificate_json(const CertificateReport& report) {
  return {{"file", report.path},
          {"proven", report.proven},
          {"why", report.proven ? Json() : Json(report.why)},
          {"entries", report.entries},
          {"seconds", report.seconds}};
}

std::string certificate_text(const CertificateReport& report, bool written) {
  const std::string time = ", " + number_text(report.seconds, 3) + " s\n";
  if (report.proven)
    return (written ? "wrote the certificate to " : "the certificate proves it: ") + report.path +
           " (" + std::to_string(report.entries) + (report.entries == 1 ? " plane" : " planes") +
           (written ? ", accepted by the checker)" : ")") + time;
  return (written ? "no certificate is written: "
                  : "the certificate " + report.path + " is refused: ") +
         report.why + "\n";
}

}  // namespace catena::command
