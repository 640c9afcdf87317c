// No warning in calls of one host thread, of any element.
// expect: ok
// warnings: none
#include <warpfold/tuning_text.hpp>

#include "compile/warnings_calls.hpp"

namespace warnings {

template <class... Ts>
void numbers() {
  (every_number(wf::seq, std::span<const Ts>(), std::span<Ts>()), ...);
}
template <class... Ts>
void views() {
  (every_view(wf::seq, std::span<const Ts>(), std::span<Ts>()), ...);
}

void all() {
  numbers<bool, signed char, char, short, int, unsigned, long long, float, double>();
  views<bool, char, float>();
  every_iterator(wf::seq, std::span<const float>());
  every_complex(wf::seq, std::span<const std::complex<float>>(), {});
  every_element(wf::seq, std::span<const pair_of>(), {});
  every_layout(wf::seq, {}, {});
  every_form(wf::seq, nullptr, 0, nullptr);
  (void)wf::read_tuning("");
}

}  // namespace warnings
