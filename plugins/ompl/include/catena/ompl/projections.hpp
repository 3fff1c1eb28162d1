#pragma once

#include <memory>

#include <ompl/base/ProjectionEvaluator.h>
#include <Eigen/Core>

#include "catena/math/rigid_transform.hpp"
#include "catena/ompl/state_mapping.hpp"

namespace catena::ompl {

/// A projection whose cell sizes come from sampled states; a direction in which nothing moves gets
/// cells of size 1 without a warning, since planar arms are common.
class SampledProjection : public ::ompl::base::ProjectionEvaluator {
 public:
  using ProjectionEvaluator::ProjectionEvaluator;
  void defaultCellSizes() override;
};

/// A state's group values times a fixed matrix.
class LinearProjection : public SampledProjection {
 public:
  /// @pre matrix.cols() == mapping->num_values()
  LinearProjection(const ::ompl::base::StateSpace* space,
                   std::shared_ptr<const StateMapping> mapping, Eigen::MatrixXd matrix);

  /// The first `rows` values, unchanged.
  static Eigen::MatrixXd first_values(int rows, int num_values);
  /// Orthonormal rows, the same in every run: a projection must not change an answer by chance.
  static Eigen::MatrixXd random_rows(int rows, int num_values);

  unsigned int getDimension() const override { return static_cast<unsigned int>(matrix_.rows()); }
  void project(const ::ompl::base::State* state,
               Eigen::Ref<Eigen::VectorXd> projection) const override;

 private:
  std::shared_ptr<const StateMapping> mapping_;
  Eigen::MatrixXd matrix_;
};

/// Position in W of a point of the group's deepest link: where the end of an arm is.
///
/// Plain floating point, as it proves nothing.
class TipProjection : public SampledProjection {
 public:
  TipProjection(const ::ompl::base::StateSpace* space, std::shared_ptr<const StateMapping> mapping);

  LinkIndex tip() const noexcept { return path_.back(); }
  /// Where the point is fixed, in the tip link's frame L.
  const Vector3d& point_L() const noexcept { return p_LQ_; }

  unsigned int getDimension() const override { return 3; }
  void project(const ::ompl::base::State* state,
               Eigen::Ref<Eigen::VectorXd> projection) const override;

 private:
  std::shared_ptr<const StateMapping> mapping_;
  std::vector<LinkIndex> path_;  // from the root's child to the tip
  Vector3d p_LQ_ = Vector3d::Zero();
};

}  // namespace catena::ompl
