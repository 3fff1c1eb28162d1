#include "catena/ompl/projections.hpp"

#include <algorithm>
#include <cassert>
#include <random>

#include <ompl/tools/config/MagicConstants.h>
#include <Eigen/Geometry>
#include <Eigen/QR>

namespace catena::ompl {

namespace ob = ::ompl::base;

namespace {

/// M(q) of a joint with the given values.
RigidTransform displacement(const Joint& joint, const double* q) {
  const auto turn = [](const Vector3d& axis, double angle) -> Matrix3d {
    return Eigen::AngleAxisd(angle, axis).toRotationMatrix();
  };
  const auto rotation = [](const double* xyzw) -> Matrix3d {
    return Eigen::Quaterniond(xyzw[3], xyzw[0], xyzw[1], xyzw[2]).normalized().toRotationMatrix();
  };
  switch (joint.type) {
    case JointType::kRevolute:
    case JointType::kContinuous:
      return {turn(joint.axis, q[0]), Vector3d::Zero()};
    case JointType::kPrismatic:
      return {Matrix3d::Identity(), q[0] * joint.axis};
    case JointType::kPlanar: {
      const auto R = Eigen::Quaterniond::FromTwoVectors(Vector3d::UnitZ(), joint.axis);
      return {turn(joint.axis, q[2]), R * Vector3d(q[0], q[1], 0.0)};
    }
    case JointType::kFloating:
      return {rotation(q + 3), Vector3d(q[0], q[1], q[2])};
    case JointType::kBall:
      return {rotation(q), Vector3d::Zero()};
    default:
      return {};
  }
}

int depth_of(const Robot& robot, LinkIndex i) {
  int depth = 0;
  for (; i.value > 0; i = robot.parent(i)) ++depth;
  return depth;
}

}  // namespace

void SampledProjection::defaultCellSizes() {
  estimateBounds();
  bounds_ = estimatedBounds_;
  cellSizes_.resize(getDimension());
  for (size_t k = 0; k < cellSizes_.size(); ++k) {
    const double width = bounds_.high[k] - bounds_.low[k];
    // Narrower than anything that moves: rounding of a coordinate that stands still.
    cellSizes_[k] = width > 1e-9 ? width / ::ompl::magic::PROJECTION_DIMENSION_SPLITS : 1.0;
  }
}

LinearProjection::LinearProjection(const ob::StateSpace* space,
                                   std::shared_ptr<const StateMapping> mapping,
                                   Eigen::MatrixXd matrix)
    : SampledProjection(space), mapping_(std::move(mapping)), matrix_(std::move(matrix)) {
  assert(matrix_.cols() == mapping_->num_values());
}

Eigen::MatrixXd LinearProjection::first_values(int rows, int num_values) {
  return Eigen::MatrixXd::Identity(rows, num_values);
}

Eigen::MatrixXd LinearProjection::random_rows(int rows, int num_values) {
  std::mt19937 generator(7);
  Eigen::MatrixXd columns(num_values, rows);
  for (int c = 0; c < rows; ++c) {
    for (int r = 0; r < num_values; ++r) {
      // Sums of uniform bits: a normal_distribution would differ between standard libraries.
      double sum = 0.0;
      for (int k = 0; k < 12; ++k) sum += static_cast<double>(generator()) / 4294967296.0;
      columns(r, c) = sum - 6.0;
    }
  }
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(columns);
  const Eigen::MatrixXd basis = qr.householderQ() * Eigen::MatrixXd::Identity(num_values, rows);
  return basis.transpose();
}

void LinearProjection::project(const ob::State* state,
                               Eigen::Ref<Eigen::VectorXd> projection) const {
  Eigen::VectorXd values(mapping_->num_values());
  mapping_->to_values(state, values);
  projection = matrix_ * values;
}

TipProjection::TipProjection(const ob::StateSpace* space,
                             std::shared_ptr<const StateMapping> mapping)
    : SampledProjection(space), mapping_(std::move(mapping)) {
  const Robot& robot = mapping_->robot();
  const std::vector<LinkIndex>& joints = mapping_->group().joints;
  LinkIndex tip = *std::max_element(joints.begin(), joints.end(), [&](LinkIndex a, LinkIndex b) {
    return depth_of(robot, a) < depth_of(robot, b);
  });
  for (const Body& body : robot.bodies()) {
    if (body.link != tip || body.geometries.empty()) continue;
    const PlacedGeometry& placed = body.geometries.front();
    // A half-space has no middle.
    if (placed.geometry->bound_radius() < kInfinity) {
      p_LQ_ = placed.X_FG.X * placed.geometry->bound_center();
    }
    break;
  }
  for (; tip.value > 0; tip = robot.parent(tip)) path_.push_back(tip);
  std::reverse(path_.begin(), path_.end());
}

void TipProjection::project(const ob::State* state, Eigen::Ref<Eigen::VectorXd> projection) const {
  const Robot& robot = mapping_->robot();
  Eigen::VectorXd q(robot.num_positions());
  mapping_->to_positions(state, q);
  RigidTransform X_WL;
  for (const LinkIndex i : path_) {
    const Joint& joint = robot.joint(i);
    if (joint.mimic) {
      const Joint& source = robot.joint(joint.mimic->source);
      const double value = joint.mimic->multiplier * q[source.q_index] + joint.mimic->offset;
      X_WL = X_WL * joint.X_PJ.X * displacement(joint, &value);
    } else {
      X_WL = X_WL * joint.X_PJ.X * displacement(joint, q.data() + joint.q_index);
    }
  }
  projection = X_WL * p_LQ_;
}

}  // namespace catena::ompl
