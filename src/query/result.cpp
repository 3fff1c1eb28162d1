#include "catena/query/result.hpp"

namespace catena {

QueryStats& QueryStats::operator+=(const QueryStats& other) noexcept {
  pair_tests += other.pair_tests;
  box_tests += other.box_tests;
  element_tests += other.element_tests;
  intervals += other.intervals;
  compositions += other.compositions;
  boxes_remade += other.boxes_remade;
  shortcuts_remade += other.shortcuts_remade;
  return *this;
}

}  // namespace catena
