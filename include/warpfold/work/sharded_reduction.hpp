/// @file
/// The reduction of a range that lies in parts on several GPUs (view/shards.hpp).
#pragma once

#include <cstddef>
#include <type_traits>
#include <vector>

#include <warpfold/core/error.hpp>
#include <warpfold/op/index_offset.hpp>
#include <warpfold/work/reduction.hpp>

namespace warpfold {

/// `Reduction` of all parts of a range. As a `Reduction`, it is that of the first part; all parts
/// have the same op and init. Made on the host, and no argument of a kernel.
template <class Reduction>
struct sharded_reduction : Reduction {
  using kind = kinds::sharded_reduction;
  using of_part = Reduction;

  std::vector<typename Reduction::view_type> views;  ///< of the parts

  explicit sharded_reduction(const Reduction& first) : Reduction(first), views{first.view} {}

  /// The number of elements of all parts.
  std::size_t size() const {
    std::size_t n = 0;
    for (const auto& v : views) n += v.size();
    return n;
  }
};

namespace detail {

// @param block as in shards_view
inline void require_indices(std::size_t block) {
  if (block == 0) return;
  throw_error<invalid_range>("warpfold: the shards have blocks of ", block,
                             " elements in turn, so an index would not be that of the array; use a "
                             "wf::sharded without block_cyclic for ops that take indices");
}

template <class Shards, class Make, class Then>
auto sharded(const Shards& range, const Make& make, const Then& then) {
  const auto& parts = range.parts();
  return make(parts[0], [&](const auto& first) {
    using of_part = std::remove_cvref_t<decltype(first)>;
    if constexpr (lifts_with_indices<typename of_part::view_type>) require_indices(range.block());
    sharded_reduction<of_part> all(first);
    for (std::size_t i = 1; i < parts.size(); ++i) {
      make(parts[i], [&](const of_part& r) { all.views.push_back(r.view); });
    }
    return then(all);
  });
}

}  // namespace detail

}  // namespace warpfold
