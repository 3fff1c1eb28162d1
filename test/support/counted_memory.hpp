#pragma once

#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

// Replaces operator new by one that counts, in the whole program: include it in one source only.

// GCC pairs the inlined operators below with its own and warns; they do belong together.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"

namespace catena::test {

inline std::atomic<long> allocations{0};
inline std::atomic<long> bytes_in_use{0}, peak_bytes{0};

inline void* counted(void* p) {
  if (p == nullptr) throw std::bad_alloc();
  ++allocations;
  const long now = bytes_in_use += static_cast<long>(malloc_usable_size(p));
  if (now > peak_bytes) peak_bytes = now;
  return p;
}
inline void give_back(void* p) {
  bytes_in_use -= static_cast<long>(malloc_usable_size(p));
  std::free(p);
}

}  // namespace catena::test

void* operator new(std::size_t size) { return catena::test::counted(std::malloc(size)); }
void* operator new(std::size_t size, std::align_val_t align) {
  const auto a = static_cast<std::size_t>(align);
  return catena::test::counted(std::aligned_alloc(a, (size + a - 1) / a * a));
}
void operator delete(void* p) noexcept { catena::test::give_back(p); }
void operator delete(void* p, std::size_t) noexcept { catena::test::give_back(p); }
void operator delete(void* p, std::align_val_t) noexcept { catena::test::give_back(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept {
  catena::test::give_back(p);
}
