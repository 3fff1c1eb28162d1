#pragma once

#include <cstdint>

namespace catena {

/// kFree and kCollision are proofs; kUndecided claims nothing.
enum class Verdict : std::uint8_t { kFree, kCollision, kUndecided };

const char* name_of(Verdict verdict) noexcept;  ///< "free", "collision", "undecided"

}  // namespace catena
