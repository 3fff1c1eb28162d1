#include "catena/model/joint.hpp"

namespace catena {

int num_values(JointType type) noexcept {
  switch (type) {
    case JointType::kFixed:
      return 0;
    case JointType::kRevolute:
    case JointType::kContinuous:
    case JointType::kPrismatic:
      return 1;
    case JointType::kPlanar:
      return 3;
    case JointType::kFloating:
      return 7;
    case JointType::kBall:
      return 4;
  }
  return 0;
}

const char* name_of(JointType type) noexcept {
  switch (type) {
    case JointType::kFixed:
      return "fixed";
    case JointType::kRevolute:
      return "revolute";
    case JointType::kContinuous:
      return "continuous";
    case JointType::kPrismatic:
      return "prismatic";
    case JointType::kPlanar:
      return "planar";
    case JointType::kFloating:
      return "floating";
    case JointType::kBall:
      return "ball";
  }
  return "unknown";
}

}  // namespace catena
