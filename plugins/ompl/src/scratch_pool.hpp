#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <utility>

namespace catena::ompl {

/// Lends one T to each query at a time and takes it back, without locks.
///
/// A free T lies in a slot that one atomic exchange empties, so no two queries get the same one and
/// there is no ABA problem. A thread tries its own slot first, so threads rarely meet. When more
/// queries run than there are slots, the extra T are made and destroyed.
template <class T>
class ScratchPool {
 public:
  ScratchPool() = default;
  ScratchPool(const ScratchPool&) = delete;
  ScratchPool& operator=(const ScratchPool&) = delete;
  ~ScratchPool() {
    for (Slot& slot : slots_) delete slot.item.load(std::memory_order_acquire);
  }

  class Lease {
   public:
    Lease(ScratchPool& pool, std::unique_ptr<T> item) noexcept
        : pool_(&pool), item_(std::move(item)) {}
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    ~Lease() { pool_->put_back(std::move(item_)); }

    T& operator*() const noexcept { return *item_; }
    T* operator->() const noexcept { return item_.get(); }

   private:
    ScratchPool* pool_;
    std::unique_ptr<T> item_;
  };

  /// A free T, or else what `make` returns (a std::unique_ptr<T>).
  template <class Make>
  Lease lease(const Make& make) {
    const unsigned int start = thread_number();
    for (unsigned int k = 0; k < kSlots; ++k) {
      Slot& slot = slots_[(start + k) % kSlots];
      if (slot.item.load(std::memory_order_relaxed) == nullptr) continue;
      if (T* item = slot.item.exchange(nullptr, std::memory_order_acquire)) {
        return {*this, std::unique_ptr<T>(item)};
      }
    }
    return {*this, make()};
  }

 private:
  static constexpr unsigned int kSlots = 64;  // more threads than most machines run at a time

  struct alignas(64) Slot {  // a cache line each
    std::atomic<T*> item{nullptr};
  };

  static unsigned int thread_number() noexcept {
    static std::atomic<unsigned int> next{0};
    thread_local const unsigned int mine = next.fetch_add(1, std::memory_order_relaxed);
    return mine;
  }

  void put_back(std::unique_ptr<T> item) noexcept {
    const unsigned int start = thread_number();
    for (unsigned int k = 0; k < kSlots; ++k) {
      Slot& slot = slots_[(start + k) % kSlots];
      T* expected = nullptr;
      if (slot.item.compare_exchange_strong(expected, item.get(), std::memory_order_release,
                                            std::memory_order_relaxed)) {
        static_cast<void>(item.release());
        return;
      }
    }
  }

  std::array<Slot, kSlots> slots_{};
};

}  // namespace catena::ompl
