// A user's kernel, made of the library's collectives: one warp reduces the whole range.
#include <iostream>
#include <vector>

#include <warpfold/reduce.hpp>
#include <warpfold/runtime/buffer.hpp>

namespace wf = warpfold;

struct one_warp {
  static constexpr const char* name() { return "one_warp"; }

  template <class Reduction, class Out>
  struct body {
    static constexpr int max_block = 32;

    Reduction reduction;
    wf::collective::result_sink<Out> sink;

    WARPFOLD_HD const Reduction& work() const { return reduction; }
    WARPFOLD_DEVICE void operator()() const {
      const auto fold = reduction.fold();
      auto state = fold.start();
      const wf::global_loads loads(wf::caching::keep);
      for (std::size_t i = threadIdx.x; i < reduction.view.size(); i += 32) {
        state = fold.combine(state, fold.state_of(reduction.lift(reduction.view.at(i, loads))));
      }
      state = wf::collective::warp_reduce(fold, state);
      if (threadIdx.x == 0) sink.deliver(reduction.result(state));
    }
  };

  template <class Reduction, class Out, class Launcher>
  void enqueue(const Reduction& r, const wf::collective::result_sink<Out>& sink,
               Launcher& on) const {
    on.launch(name(), body<Reduction, Out>{r, sink}, {1, 32});
  }
};

static_assert(wf::kernel::reduction_kernel<one_warp>);

int main() try {
  const wf::device_buffer<short> v(std::vector<short>(1000, 7));
  const long long sum = wf::reduce(wf::device.with_kernel(one_warp{}), v, wf::plus{});
  std::cout << sum << '\n';
  return sum == 7000 ? 0 : 1;
} catch (const wf::no_device& e) {
  std::cerr << e.what() << '\n';
  return 77;
}
