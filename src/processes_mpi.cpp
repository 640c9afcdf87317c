// The processes of MPI as the ranks of wf::across.
#include <mpi.h>

#include <array>
#include <span>
#include <stdexcept>
#include <vector>

#include <warpfold/extrema.hpp>
#include <warpfold/norm.hpp>
#include <warpfold/policy/across.hpp>
#include <warpfold/policy/mpi.hpp>
#include <warpfold/reduce.hpp>

#include "dispatch.hpp"
#include "host_views.hpp"
#include "processes.hpp"

namespace warpfold::program {
namespace {

// A rank may read its part of a file for much longer than another one.
constexpr double limit_s = 1e6;

/// One value of a type, or none.
template <class A>
std::span<const A> range_of(const A& x, bool exists) {
  return {&x, exists ? 1u : 0u};
}

template <class A, class Op>
constexpr bool takes = requires(Op op, A a) {
  { op(a, a) } -> std::convertible_to<A>;
};

/// Reduces the totals of the ranks, each a range of one element.
template <class A>
struct combine_totals {
  const mpi_ranks& ranks;
  A own;
  bool exists;
  std::size_t count;  ///< elements of this rank

  template <class Op>
  value with(Op op) const {
    if constexpr (takes<A, Op>) {
      return to_value(static_cast<A>(reduce(across(ranks), range_of(own, exists), op)));
    } else {
      throw std::logic_error("warpfold: this op has no results of this type");
    }
  }
  template <class Op>
  value of_numbers(Op op) const {
    if constexpr (std::is_same_v<A, vec3>) {
      return with(by_component<Op>{});
    } else {
      return with(op);
    }
  }

  /// Each mean counts as often as it has elements. The shares do not overflow where sums would.
  value mean() const {
    const double all = reduce(across(ranks), range_of(static_cast<double>(count), true), plus{});
    const double share = static_cast<double>(own) * (static_cast<double>(count) / all);
    return to_value(static_cast<A>(reduce(across(ranks), range_of(share, exists), plus{})));
  }

  value operator()(op o) const {
    if constexpr (std::is_floating_point_v<A>) {
      if (o == op::mean) return mean();
      if (o == op::norm) {  // of the norms of the parts
        return to_value(static_cast<A>(norm_2(across(ranks), range_of(own, exists))));
      }
    }
    if constexpr (std::is_same_v<A, bool>) {
      if (o == op::logical_and) return with(logical_and{});
      if (o == op::logical_or) return with(logical_or{});
    } else {
      constexpr bool is_complex = requires(A a) { a.imag(); };
      if (o == op::plus) return of_numbers(plus{});
      if (o == op::multiplies) return of_numbers(multiplies{});
      if constexpr (!is_complex) {
        if (o == op::minimum) return of_numbers(minimum{});
        if (o == op::maximum) return of_numbers(maximum{});
      }
      if constexpr (std::is_integral_v<A>) {
        if (o == op::bit_and) return with(bit_and{});
        if (o == op::bit_or) return with(bit_or{});
        if (o == op::bit_xor) return with(bit_xor{});
      }
    }
    throw std::logic_error("warpfold: this op has no results of this type");
  }
};

/// Finds the extremum of the places of the ranks, each a range of one element that begins at its
/// index.
template <class Number>
value combined_place(const mpi_ranks& ranks, op o, const std::optional<place>& own,
                     std::size_t first) {
  const Number x = own ? std::get<Number>(own->element) : Number{};
  const std::size_t index = own ? first + static_cast<std::size_t>(own->index) : 0;
  const auto policy = across(ranks).starting_at(index);
  const auto found = o == op::argmin ? argmin(policy, range_of(x, own.has_value()))
                                     : argmax(policy, range_of(x, own.has_value()));
  return place{found.value, found.index};
}

/// Calls `f(A)` for the alternative `index` of the variant.
template <class... As, class F>
value with_alternative(const std::variant<As...>*, std::size_t index, const F& f) {
  value result;
  std::size_t i = 0;
  ((i++ == index ? (result = f(std::type_identity<As>{}), 0) : 0), ...);
  return result;
}

}  // namespace

struct process_group::state {
  std::optional<mpi_ranks> ranks;
  int rank_on_machine = 0;

  /// The greatest number of all ranks.
  std::size_t greatest(std::size_t mine) const {
    std::vector<std::size_t> all(static_cast<std::size_t>(ranks->size()));
    ranks->all_gather(&mine, sizeof mine, all.data());
    return *std::max_element(all.begin(), all.end());
  }
};

process_group::process_group() : state_(std::make_unique<state>()) {
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm machine = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
  MPI_Comm_rank(machine, &state_->rank_on_machine);
  MPI_Comm_free(&machine);
  state_->ranks.emplace(mpi(MPI_COMM_WORLD, limit_s));
}

process_group::~process_group() { MPI_Finalize(); }

int process_group::rank() const { return state_->ranks->rank(); }
int process_group::size() const { return state_->ranks->size(); }
int process_group::rank_on_machine() const { return state_->rank_on_machine; }

int process_group::first_with(bool failed) const {
  const auto n = static_cast<std::size_t>(size());
  // The lowest rank is the greatest of n - rank.
  const std::size_t found =
      state_->greatest(failed ? n - static_cast<std::size_t>(rank()) : std::size_t{0});
  return found == 0 ? -1 : static_cast<int>(n - found);
}

value process_group::combined(element e, op o, const part_result& own,
                              const value& identity) const {
  // Ranks without elements learn the type of the total from the others.
  const std::size_t type = state_->greatest(own.total ? own.total->index() + 1 : 0);
  if (type == 0) return identity;
  if (is_index(o)) {
    std::optional<place> found;
    if (own.total) found = std::get<place>(*own.total);
    const std::size_t number = state_->greatest(found ? found->element.index() : 0);
    const decltype(place::element)* const numbers = nullptr;
    return with_alternative(numbers, number, [&](auto t) {
      return combined_place<typename decltype(t)::type>(*state_->ranks, o, found, own.first);
    });
  }
  const value* const values = nullptr;
  return with_alternative(values, type - 1, [&](auto t) -> value {
    using A = typename decltype(t)::type;
    if constexpr (std::is_same_v<A, place>) {
      throw std::logic_error("warpfold: a place is no total of this op");
    } else {
      const A total = own.total ? std::get<A>(*own.total) : A{};
      return combine_totals<A>{*state_->ranks, total, own.total.has_value(),
                               own.count}(compiled_op(e, o));
    }
  });
}

}  // namespace warpfold::program
