// kernel::axis_pieces in the emulation: the states of pieces become results.
// needs: boost_context
#include <warpfold/kernel/axis/pieces.hpp>

#include "kernel/axis/folds.hpp"

TEST_CASE("so many that their threads take several each") {
  using axis_type =
      wf::axis_reduction<float, decltype(test::large),
                         wf::axis_reduction<float, decltype(test::large), int>::accumulator>;
  using state = axis_type::state;
  for (const std::size_t pieces : {1u, 4u, 5u, 16u, 17u, 63u, 600u}) {
    INFO(pieces);
    constexpr std::size_t outputs = 11;
    wf::emulation::report report;
    wf::emulation::launcher on(wf::emulation::default_gpu, &report);
    std::vector<axis_type::out_type> out(outputs, axis_type::out_type{});
    on.allow(out.data(), outputs * sizeof(axis_type::out_type), true);
    const axis_type axis{
        nullptr,
        out.data(),
        wf::detail::layout_of(pieces, 1, test::shape({outputs}, {pieces}), test::dense({outputs})),
        0,
        outputs,
        test::large};
    const auto states = on.scratch<state>(pieces * outputs);
    float expected = 0;
    for (std::size_t i = 0; i < pieces * outputs; ++i) {
      const auto x = static_cast<float>(i / outputs % 7 + 1);
      if (i % outputs == 0) expected += x;  // the same of each result
      new (states.data + i) state(axis.fold().state_of(axis.lift(x, i / outputs)));
    }
    wf::kernel::axis_pieces{}.enqueue(axis, states, pieces, on);
    for (const auto& result : out) CHECK(wf::get<0>(result) == expected);
  }
}
