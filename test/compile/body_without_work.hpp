// A kernel whose body names no work: its reduction has another name.
#pragma once

#include <warpfold/reduce.hpp>

namespace wf = warpfold;

struct only_a_start {
  static constexpr const char* name() { return "only_a_start"; }

  template <class Reduction, class Out>
  struct body {
    static constexpr int max_block = 32;

    Reduction sum;  // and not `reduction`
    wf::collective::result_sink<Out> sink;

    WARPFOLD_DEVICE void operator()() const { sink.deliver(sum.result(sum.fold().start())); }
  };

  template <class Reduction, class Out, class Launcher>
  void enqueue(const Reduction& r, const wf::collective::result_sink<Out>& sink,
               Launcher& on) const {
    on.launch(name(), body<Reduction, Out>{r, sink}, {1, 32});
  }
};
