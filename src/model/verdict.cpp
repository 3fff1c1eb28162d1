#include "catena/model/verdict.hpp"

namespace catena {

const char* name_of(Verdict verdict) noexcept {
  switch (verdict) {
    case Verdict::kFree:
      return "free";
    case Verdict::kCollision:
      return "collision";
    case Verdict::kUndecided:
      break;
  }
  return "undecided";
}

}  // namespace catena
