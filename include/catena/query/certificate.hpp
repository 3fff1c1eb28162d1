#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <Eigen/Core>

#include "catena/model/motion.hpp"
#include "catena/query/collision_world.hpp"

namespace catena {

struct CertificateOptions {
  double clearance = 0.0;             ///< metres: what is proven is farther apart than this
  std::uint64_t budget = 50'000'000;  ///< steps an edge; 0: none
};

/// Writes what proves edges free, for a checker that shares no code with the engine.
///
/// Planes that part blocks of links, objects and pieces of meshes over intervals of time: block
/// against block first, over all of [0, 1]; what no plane parts is divided, in space or in time. A
/// proposal of ordinary floating-point numbers, which the checker (certificate/check.hpp) proves or
/// refuses: have it checked before it is handed on.
///
/// Cost      an entry and each time at which its plane is held: O(links of its blocks and on the
/// way
///           between them), beside a scene O(all links). A free chain takes about two entries a
///           link. Keeps all entries until `text`.
/// Threads   reads `world`; one thread at a time.
/// Errors    std::invalid_argument for no motion, no clearance, and for geometries that the file
///           has no form for (many boxes or balls, padded meshes).
class CertificateWriter {
 public:
  CertificateWriter(std::shared_ptr<const CollisionWorld> world, const CertificateOptions& options);
  ~CertificateWriter();
  CertificateWriter(CertificateWriter&&) noexcept;
  CertificateWriter& operator=(CertificateWriter&&) noexcept;

  /// Adds the edge from q0 to q1, whole position vectors; nothing if it could, else why not: then
  /// the edge is left out. Only what is free has a certificate.
  std::optional<std::string> add(const Eigen::Ref<const Eigen::VectorXd>& q0,
                                 const Eigen::Ref<const Eigen::VectorXd>& q1);
  /// Likewise a spline (see Motion).
  std::optional<std::string> add(const Knot& from, const Knot& to, double duration);

  int num_edges() const noexcept;
  std::int64_t num_entries() const noexcept;  ///< of all edges

  /// The certificate of the edges added so far (docs/formats.md). Throws std::runtime_error where
  /// no point is found that shows something to be outside a solid.
  std::string text() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace catena
