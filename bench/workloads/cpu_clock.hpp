#pragma once

#include <ctime>

namespace catena::bench {

/// CPU time of this process [s]: the workloads run on one thread, and the machine may be shared.
inline double cpu_seconds() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

}  // namespace catena::bench
