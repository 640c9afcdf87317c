// The reduction_kernel concept: what it accepts and refuses, and that a kernel that it accepts runs
// on a launcher.
// needs: boost_context
#include <warpfold/kernel/concept.hpp>

#include "kernel/emulated_sums.hpp"

namespace {

/// The least kernel: one thread that folds everything.
struct one_thread {
  static constexpr const char* name() { return "one_thread"; }

  template <class Reduction, class Out>
  struct body {
    static constexpr int max_block = 32;
    Reduction reduction;
    wf::collective::result_sink<Out> sink;

    const Reduction& work() const { return reduction; }
    void operator()() const {
      if (wf::threadIdx.x != 0) return;
      const auto fold = reduction.fold();
      auto state = fold.start();
      for (std::size_t i = 0; i < reduction.size(); ++i) {
        const wf::global_loads loads(wf::caching::keep);
        state = fold.combine(state, fold.state_of(reduction.lift(reduction.view.at(i, loads))));
      }
      sink.deliver(reduction.result(state));
    }
  };
  template <class Reduction, class Out, class Launcher>
  void enqueue(const Reduction& r, const wf::collective::result_sink<Out>& sink,
               Launcher& on) const {
    on.launch(name(), body<Reduction, Out>{r, sink}, {1, 32});
  }
};

struct without_name : one_thread {
  static void name();
};
/// A name that not every object of the class has.
struct with_name_of_object : one_thread {
  const char* name() const { return "object"; }
};
struct without_enqueue {
  static constexpr const char* name() { return "without_enqueue"; }
};
struct with_changing_enqueue {
  static constexpr const char* name() { return "with_changing_enqueue"; }
  template <class Reduction, class Out, class Launcher>
  void enqueue(const Reduction&, const wf::collective::result_sink<Out>&, Launcher&) {}
};
struct not_copyable : one_thread {
  not_copyable() = default;
  not_copyable(const not_copyable&) = delete;
};

using wf::kernel::reduction_kernel;
static_assert(reduction_kernel<one_thread>);
static_assert(!reduction_kernel<without_name>);
static_assert(!reduction_kernel<with_name_of_object>);
static_assert(!reduction_kernel<without_enqueue>);
static_assert(!reduction_kernel<with_changing_enqueue>);
static_assert(!reduction_kernel<not_copyable>);
static_assert(!reduction_kernel<int>);

}  // namespace

TEST_CASE(
    "a kernel of one's own launches what it says, in the emulation and where it is recorded") {
  CHECK(test::launches_of(one_thread{}, 1000).blocks() == test::counts{1});
  (void)test::emulated_sum(one_thread{}, 0);
  (void)test::emulated_sum(one_thread{}, 1001);
}
