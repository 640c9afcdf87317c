/// @file
/// A grouping of the user's own: the channels of interleaved samples. Channel `c` of `channels` has
/// the samples `c`, `c + channels`, `c + 2 * channels` and so on.
#pragma once

#include <cstddef>

#include <warpfold/core/error.hpp>
#include <warpfold/op/fold.hpp>
#include <warpfold/op/lift.hpp>
#include <warpfold/view/concept.hpp>
#include <warpfold/view/output.hpp>
#include <warpfold/work/kinds.hpp>
#include <warpfold/work/results.hpp>

namespace sound {

namespace wf = warpfold;

struct channel_kind : wf::kinds::any_kind {
  static constexpr const char* call = "reduce_channels";
  static constexpr const char* input = "the range of the samples";
  template <bool Runs>
  static constexpr bool check() {
    static_assert(Runs,
                  "sound: this policy does not run reduce_channels; use wf::seq, wf::par, "
                  "wf::device or wf::emulated");
    return Runs;
  }
};

/// The folds of all channels, ready for a policy to run. Kernels take it by value, as bytes.
template <wf::view Samples, class Op, wf::output_view Out>
struct channel_reduction {
  using kind = channel_kind;
  using view_type = Samples;
  using value_type = typename Samples::value_type;
  using accumulator = typename wf::op_traits<Op, value_type>::accumulator;
  using fold_type = wf::fold<Op, accumulator>;
  using state = typename fold_type::state;

  static constexpr bool tells_memory = wf::tells_memory_v<Samples>;

  Samples samples;
  std::size_t channels;
  Op op;
  Out out;

  WARPFOLD_HD constexpr fold_type fold() const { return {op}; }

  /// The number of results.
  WARPFOLD_HD std::size_t size() const { return channels; }
  /// Samples of each channel.
  WARPFOLD_HD std::size_t length() const { return channels == 0 ? 0 : samples.size() / channels; }

  /// The state of sample `i` of channel `c`.
  WARPFOLD_HD state sample(std::size_t c, std::size_t i) const {
    return fold().state_of(static_cast<accumulator>(samples[i * channels + c]));
  }
  /// The same in a kernel.
  template <class Loads>
  WARPFOLD_HD state sample_at(std::size_t c, std::size_t i, const Loads& loads) const {
    return fold().state_of(static_cast<accumulator>(samples.at(i * channels + c, loads)));
  }
  /// Writes the result of channel `c`.
  template <class Stores>
  WARPFOLD_HD void write(std::size_t c, const state& s, const Stores& stores) const {
    out.store_at(c, static_cast<typename Out::value_type>(fold().value(s)), stores);
  }

  /// @throws wf::invalid_range,wf::empty_range
  void require_valid() const {
    if (channels == 0 ? samples.size() != 0 : samples.size() % channels != 0) {
      throw wf::invalid_range("sound: ", samples.size(), " samples are not the same number for ",
                              channels, " channels");
    }
    if (out.size() != channels) {
      throw wf::invalid_range("sound: the output has ", out.size(), " elements for ", channels,
                              " channels");
    }
    if (!wf::op_traits<Op, accumulator>::has_identity && channels != 0 && length() == 0) {
      throw wf::empty_range("sound: no samples, and the op has no identity");
    }
    wf::detail::require_outside_input(*this);
  }

  /// Calls `visit(pointer, bytes, alignment)` for the memory that is read.
  template <class Visit>
  void visit_read(const Visit& visit) const {
    samples.visit_memory(visit);
  }
  /// Calls `visit(pointer, bytes, alignment)` for the memory that is written.
  template <class Visit>
  void visit_written(const Visit& visit) const {
    out.visit_memory(visit);
  }

#if defined(__CUDACC__)
  /// See kernel/body.hpp.
  WARPFOLD_DEVICE void name_user_functions(const value_type* x = nullptr) const {
    wf::detail::name_op(op, x, static_cast<const accumulator*>(nullptr));
  }
#endif
};

}  // namespace sound
