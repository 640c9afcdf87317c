/// @file
/// Views and outputs whose memory only the caller knows, as in calls that take pointers without
/// sizes.
#pragma once

#include <cstddef>

#include <warpfold/view/concept.hpp>
#include <warpfold/view/part.hpp>

namespace warpfold::detail {

/// A view or output `Base` whose number of elements is unknown. `size()` is the most elements that
/// there can be. The caller guarantees memory for the elements that the call uses, so
/// checks of access and overlap see only the first byte.
template <class Base>
class unsized : public Base {
 public:
  static constexpr bool is_contiguous = false;  // there may be fewer elements than `size()`
  static constexpr bool computes_elements = detail::computes_elements<Base>();
  static constexpr bool tells_memory = false;

  WARPFOLD_HD explicit unsized(const Base& base) : Base(base) {}

  void visit_memory(auto&& visit) const {
    Base::visit_memory([&](const void* p, std::size_t bytes, std::size_t alignment) {
      visit(p, bytes == 0 ? std::size_t{0} : std::size_t{1}, alignment);
    });
  }
};

// The elements of a part exist, so it needs no guarantee.
template <class Side, class Base>
struct part_maker<Side, unsized<Base>> : part_maker<Side, Base> {};

}  // namespace warpfold::detail
