/// @file
/// Elements with a mask, and the elements whose bit is set.
#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <vector>

#include <warpfold/kernel/single_pass.hpp>
#include <warpfold/policy/emulated.hpp>
#include <warpfold/policy/par.hpp>
#include <warpfold/reduce.hpp>

#include "contract/oracle.hpp"

namespace test {

/// Values of which those without a bit would change every result: NaN for floats.
template <class T>
struct masked_data {
  std::vector<T> values;
  std::vector<std::uint32_t> bits;
  std::vector<T> set;               // the values with a bit
  std::vector<std::size_t> places;  // and their indices

  explicit masked_data(std::size_t n, unsigned one_of = 3) : values(n), bits(n / 32 + 1) {
    random_bits random;
    for (std::size_t i = 0; i < n; ++i) {
      const bool is_set = random() % one_of == 0;
      if (is_set) {
        values[i] = static_cast<T>(static_cast<int>(random() % 199) - 99);
        set.push_back(values[i]);
        places.push_back(i);
        bits[i / 32] |= std::uint32_t{1} << i % 32;
      } else {
        values[i] = std::is_floating_point_v<T> ? std::numeric_limits<T>::quiet_NaN()
                                                : static_cast<T>(-101);
      }
    }
  }
  void unset_all() { bits.assign(bits.size(), 0); }
  auto view() const { return wf::where(values, bits); }
};

/// Calls `f` with policies of all kinds; in the emulation with one kernel, for a short compile
/// time.
template <class F>
void each_policy(const F& f) {
  {
    INFO("seq");
    f(wf::seq);
  }
  {
    INFO("par");
    f(wf::par);
  }
  {
    INFO("emulated");
    f(wf::emulated.with_kernel(wf::kernel::single_pass<>{}));
  }
}

}  // namespace test
