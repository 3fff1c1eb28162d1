#include "catena/math/rounding.hpp"

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace catena {
namespace {

// Flush-to-zero and denormals-are-zero bits of the control register, where there is one.
#if defined(__SSE2__)
constexpr unsigned kFlushBits = 0x8040;
unsigned read_control() noexcept { return _mm_getcsr(); }
void write_control(unsigned control) noexcept { _mm_setcsr(control); }
#elif defined(__aarch64__)
constexpr unsigned kFlushBits = 1u << 24;
unsigned read_control() noexcept {
  unsigned long control;
  asm volatile("mrs %0, fpcr" : "=r"(control));
  return static_cast<unsigned>(control);
}
void write_control(unsigned control) noexcept {
  asm volatile("msr fpcr, %0" : : "r"(static_cast<unsigned long>(control)));
}
#else
constexpr unsigned kFlushBits = 0;
unsigned read_control() noexcept { return 0; }
void write_control(unsigned) noexcept {}
#endif

}  // namespace

RoundingScope::RoundingScope() noexcept
    : saved_mode_(std::fegetround()), saved_control_(read_control()), changed_(false) {
  if (saved_mode_ != FE_TONEAREST) {
    std::fesetround(FE_TONEAREST);
    changed_ = true;
  }
  const unsigned control = read_control();
  if ((control & kFlushBits) != 0) {
    write_control(control & ~kFlushBits);
    changed_ = true;
  }
}

RoundingScope::~RoundingScope() {
  if (!changed_) return;
  if ((saved_control_ & kFlushBits) != 0)
    write_control(read_control() | (saved_control_ & kFlushBits));
  std::fesetround(saved_mode_);
}

}  // namespace catena
