#pragma once

/// Highway's targets that have no code of their own: what lies between the baseline and AVX2 is not
/// worth it.
#define CATENA_TARGETS_WITHOUT_CODE (HWY_SSSE3 | HWY_SSE4)
