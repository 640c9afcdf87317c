/// @file
/// `warpfold tune`: measures the fastest launch for each size on this GPU, and writes a tuning.
/// First the command's options; then the choice from measurements; then the functions of tune.cu.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <warpfold/kernel/tuning.hpp>

namespace warpfold::program {

/// The options of `warpfold tune`.
struct tune_options {
  std::string out;       ///< a file to write the tuning to, or empty
  std::size_t most = 0;  ///< bytes of the largest range; 0: `most_tuned_bytes`
  bool show = false;     ///< only print the built-in table
  std::string check;     ///< only check this file, or empty
};
inline constexpr std::size_t least_tuned_bytes = std::size_t{128} << 10;
inline constexpr std::size_t most_tuned_bytes = std::size_t{4} << 30;

/// @return the exit code
/// @throws no_device, invalid_tuning, out_of_memory, cuda_error, std::runtime_error
int run_tune(const tune_options& options);

/// A launch, and its measured time.
struct tuned_launch {
  tuning::row launch;  ///< from_bytes is not used
  double seconds = 0;  ///< of one call: the geometric mean over the ops
};

/// The measurements at one size.
struct tuned_size {
  std::size_t bytes = 0;
  tuning::row own;  ///< the built-in choice, one of `launches`
  std::vector<tuned_launch> launches;

  /// The measurement of a launch, or null.
  const tuned_launch* find(const tuning::row& launch) const;
  const tuned_launch& best() const;
};

/// Whether two rows have the same launch.
bool same_launch(const tuning::row& a, const tuning::row& b);

/// Chooses the rows of a table. A new row starts only at a size where the previous row is slower
/// than the best launch by more than `noise`. Its launch is the built-in one if that is within
/// `noise`, otherwise the best; it starts halfway from the previous size. If that gives more rows
/// than a table holds, the function increases `noise`.
/// @param gpu    the GPU of the table
/// @param sizes  ascending; at least one
tuning choose_tuning(const device_info& gpu, std::span<const tuned_size> sizes,
                     double noise = 0.015);

/// The measured calls: a light op, wide elements, and an expensive op.
enum class tuned_call { sum_of_floats, minimum_of_doubles, product_of_ints };
inline constexpr int tuned_calls = 3;

/// The GPU, with the stream and events that time calls, and data to reduce.
class tune_gpu {
 public:
  /// @param most  the bytes of data; fewer if the free memory of the GPU is smaller
  /// @throws warpfold::no_device, warpfold::out_of_memory, warpfold::cuda_error
  explicit tune_gpu(std::size_t most);
  ~tune_gpu();
  tune_gpu(const tune_gpu&) = delete;             // it owns a stream
  tune_gpu& operator=(const tune_gpu&) = delete;  // likewise

  /// The size of the data.
  std::size_t bytes() const;

  /// The seconds of one call on the first `bytes` bytes, launched with `launch`: with a cold L2
  /// cache, or with a warm one (the previous call read the same bytes).
  double seconds(tuned_call what, std::size_t bytes, const tuning::row& launch, bool cold);

 private:
  struct state;
  state* state_;
};

/// The current GPU, as described in tunings.
/// @throws warpfold::no_device
device_info tuned_device();

}  // namespace warpfold::program
