// vector_find: the first of several equal elements, wherever it is; zeros of both signs; NaNs.
#include <warpfold/host/vector_find.hpp>

#include <doctest/doctest.h>

#include <limits>
#include <vector>

#include <warpfold/view/as_view.hpp>

namespace wf = warpfold;

#if defined(__GNUC__)
TEST_CASE_TEMPLATE("the first of several equal elements is found", T, float, double, signed char,
                   unsigned short, int) {
  for (const std::size_t n : {1u, 2u, 31u, 32u, 33u, 64u, 127u, 128u, 129u, 300u}) {
    for (const std::size_t first : {0u, 5u}) {
      for (std::size_t at = first; at < first + n; ++at) {
        INFO(n, " elements from ", first, ", at ", at);
        std::vector<T> values(first + n, T{1});
        const auto find = [&](T value) {
          return wf::host::vector_find(wf::as_view(values), first, first + n, value);
        };
        if (first > 0) values[0] = T{2};
        values[at] = values[first + n - 1] = T{2};
        CHECK(find(T{2}) == at);
        if constexpr (std::is_floating_point_v<T>) {
          values.assign(first + n, T(0.0));
          values[at] = values[first + n - 1] = T(-0.0);
          CHECK(find(T(-0.0)) == at);
          values[at] = values[first + n - 1] = -std::numeric_limits<T>::quiet_NaN();
          CHECK(find(std::numeric_limits<T>::quiet_NaN()) == at);
        }
      }
    }
  }
}
#endif
