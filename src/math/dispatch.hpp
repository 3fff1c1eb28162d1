// Code that is compiled for several instruction sets, of which the machine's best is chosen when
// the program runs: through Highway, or for the compiler's baseline alone where Highway is not
// found.
//
// A file that holds such code names itself in HWY_TARGET_INCLUDE, includes this header, and puts
// the code into namespace HWY_NAMESPACE between HWY_BEFORE_NAMESPACE() and HWY_AFTER_NAMESPACE().
// No include guard: Highway includes that file once for each target.
#ifdef CATENA_HAS_HIGHWAY
#include "math/targets.hpp"
#define HWY_DISABLED_TARGETS CATENA_TARGETS_WITHOUT_CODE
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#else
#define HWY_NAMESPACE baseline
#define HWY_BEFORE_NAMESPACE() static_assert(true, "")
#define HWY_AFTER_NAMESPACE() static_assert(true, "")
#define HWY_ONCE 1
#define HWY_CAP_GE256 0
#define HWY_CAP_GE512 0
#define HWY_EXPORT(function) static_assert(true, "")
#define HWY_DYNAMIC_DISPATCH(function) HWY_NAMESPACE::function
#endif

/// Vectors that the baseline lacks are neither passed nor returned, but by functions that are
/// always inlined.
#ifndef CATENA_INLINE
#define CATENA_INLINE [[gnu::always_inline]] inline
#endif
