/// @file
/// `warpfold tune`: finds how this GPU reduces fastest at each size, and writes it down as a
/// tuning. Above, what the command is; then what is decided from measurements; below, what the
/// GPU's side (tune.cu) does for it.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <warpfold/kernel/tuning.hpp>

namespace warpfold::program {

/// What `warpfold tune` is asked for.
struct tune_options {
  std::string out;       ///< a file to write the tuning to, or empty
  std::size_t most = 0;  ///< bytes of the largest range; 0: `most_tuned_bytes`
  bool show = false;     ///< only print the library's own table
  std::string check;     ///< only check this file, or empty
};
inline constexpr std::size_t least_tuned_bytes = std::size_t{128} << 10;
inline constexpr std::size_t most_tuned_bytes = std::size_t{4} << 30;

/// @return the exit code
/// @throws no_device, invalid_tuning, out_of_memory, cuda_error, std::runtime_error
int run_tune(const tune_options& options);

/// One way to launch, measured.
struct tuned_launch {
  tuning::row launch;  ///< its from_bytes means nothing here
  double seconds = 0;  ///< of one call, in the mean of the ops
};

/// What was measured of ranges of one size.
struct tuned_size {
  std::size_t bytes = 0;
  tuning::row own;  ///< the library's own choice, one of `launches`
  std::vector<tuned_launch> launches;

  /// What was measured of a launch, if it was.
  const tuned_launch* find(const tuning::row& launch) const;
  const tuned_launch& best() const;
};

/// Whether two rows launch the same.
bool same_launch(const tuning::row& a, const tuning::row& b);

/// The rows that suit what was measured: a new one starts only where the one before is slower than
/// the best by more than `noise`, with the library's own launch if that is not, else with the best;
/// halfway from the size before. Where that makes more rows than a table holds, more is taken for
/// noise.
/// @param gpu    whose fields the table has
/// @param sizes  ascending; at least one
tuning choose_tuning(const device_info& gpu, std::span<const tuned_size> sizes,
                     double noise = 0.015);

/// What is measured: a light fold, one of wide elements, and one whose op takes long.
enum class tuned_call { sum_of_floats, minimum_of_doubles, product_of_ints };
inline constexpr int tuned_calls = 3;

/// The GPU, with what timing needs, and data to reduce.
class tune_gpu {
 public:
  /// @param most  bytes of data; less are had where the GPU's memory does not hold so many
  /// @throws warpfold::no_device, warpfold::out_of_memory, warpfold::cuda_error
  explicit tune_gpu(std::size_t most);
  ~tune_gpu();
  tune_gpu(const tune_gpu&) = delete;             // it owns a stream
  tune_gpu& operator=(const tune_gpu&) = delete;  // likewise

  /// How much data there is.
  std::size_t bytes() const;

  /// Seconds of one call on the first `bytes` bytes, launched as `launch` says: when none of them
  /// is in the L2 cache, or when the call before it read the same.
  double seconds(tuned_call what, std::size_t bytes, const tuning::row& launch, bool cold);

 private:
  struct state;
  state* state_;
};

/// The current GPU, as tunings know it.
/// @throws warpfold::no_device
device_info tuned_device();

}  // namespace warpfold::program
