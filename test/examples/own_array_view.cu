// A user's view that computes floats from an array of 16-bit steps. It names the chunk of the
// array, so wf::device can copy the array ahead of the threads if it is far larger than the L2
// cache.
#include <cmath>
#include <iostream>
#include <span>
#include <vector>

#include <warpfold/explain.hpp>
#include <warpfold/reduce.hpp>
#include <warpfold/runtime/buffer.hpp>

namespace wf = warpfold;

/// Element `i` is `least + step * steps[i]`.
class dequantized {
  using array = wf::contiguous_view<short>;

 public:
  using value_type = float;
  using chunk_type = array::chunk_type;
  using array_chunk = array::chunk_type;  // element i is computed from element i of one array
  static constexpr int chunk_size = array::chunk_size;

  dequantized(std::span<const short> steps, float least, float step)
      : steps_(steps.data(), steps.size()), least_(least), step_(step) {}

  WARPFOLD_HD std::size_t size() const { return steps_.size(); }
  WARPFOLD_HD float operator[](std::size_t i) const { return number(steps_[i]); }
  WARPFOLD_HD std::size_t head() const { return steps_.head(); }
  template <class Loads>
  WARPFOLD_HD float at(std::size_t i, const Loads& loads) const {
    return number(steps_.at(i, loads));
  }
  template <class Loads>
  WARPFOLD_HD void load(chunk_type& c, std::size_t i, const Loads& loads) const {
    steps_.load(c, i, loads);
  }
  template <class Loads>
  WARPFOLD_HD void load_anywhere(chunk_type& c, std::size_t i, const Loads& loads) const {
    steps_.load_anywhere(c, i, loads);
  }
  WARPFOLD_HD float get(const chunk_type& c, int k) const { return number(steps_.get(c, k)); }
  template <class Visitor>
  void visit_memory(Visitor&& visit) const {
    steps_.visit_memory(visit);
  }

 private:
  WARPFOLD_HD float number(short step) const { return least_ + step_ * static_cast<float>(step); }

  array steps_;
  float least_, step_;
};
static_assert(wf::view<dequantized>);

int main() try {
  const std::size_t n = std::size_t{150} << 20;
  const std::vector<short> host(n, short{3});
  const wf::device_buffer<short> steps(host);
  const dequantized numbers({steps.data(), n}, -1.0f, 0.5f);

  const wf::plan plan = wf::explain(wf::device, numbers, wf::maximum{});
  const float greatest = wf::reduce(wf::device, numbers, wf::maximum{});
  const float sum = wf::reduce(wf::device, numbers, wf::plus{});
  std::cout << plan.kernel << ": " << greatest << ", sum " << sum << '\n';

  const wf::device_info gpu = wf::runtime::current_device_info();
  const bool is_large = plan.bytes >= 5 * gpu.l2_bytes && gpu.compute_capability >= 90;
  if (is_large && !(plan.kernel == "bulk_copy")) return 1;
  return greatest == 0.5f && std::abs(sum / (0.5f * static_cast<float>(n)) - 1) < 1e-5f ? 0 : 1;
} catch (const wf::no_device& e) {
  std::cerr << e.what() << '\n';
  return 77;
}
