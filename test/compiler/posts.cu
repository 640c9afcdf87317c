// Kernels that read posts: of states of 4 to 28 bytes (collective/posted_state.hpp), some with
// words that hold no state, and of totals of tiles. posts_test.py reads their machine code.
#include <span>

#include <warpfold/kernel/single_pass.hpp>
#include <warpfold/reduce.hpp>
#include <warpfold/reduce_by_key.hpp>

namespace wf = warpfold;

namespace test {

template <int Words>
struct words {
  float of[Words];
};
struct add_words {
  template <int Words>
  __host__ __device__ words<Words> operator()(const words<Words>& a, const words<Words>& b) const {
    words<Words> sum;
    for (int i = 0; i < Words; ++i) sum.of[i] = a.of[i] + b.of[i];
    return sum;
  }
};

template <int... Words>
void reduce_each(const words<Words>*... from) {
  const auto by = [](const auto& policy, auto* p) {
    wf::reduce_async(policy, std::span(p, 100), add_words{},
                     const_cast<std::remove_const_t<std::remove_pointer_t<decltype(p)>>*>(p));
  };
  (by(wf::device, from), ...);
  (by(wf::device.with_kernel(wf::kernel::single_pass<>{128, 2}), from), ...);
}
template void reduce_each(const words<1>*, const words<2>*, const words<4>*, const words<5>*,
                          const words<7>*);

void run_lengths(std::span<const int> keys, int* keys_out, int* lengths, int* runs) {
  wf::run_lengths_async(wf::device, keys, keys_out, lengths, runs);
}

}  // namespace test
