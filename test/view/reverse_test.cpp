// wf::reverse: elements and chunks from the end, on host threads and in the emulation.
// needs: boost_context
#include <warpfold/view/reverse.hpp>

#include <warpfold/extrema.hpp>
#include <warpfold/policy/emulated.hpp>
#include <warpfold/policy/left_to_right.hpp>
#include <warpfold/view/strided.hpp>

#include "contract/counted_loads.hpp"
#include "contract/view_contract.hpp"

namespace {

struct four {
  int part[4];

  friend bool operator==(const four&, const four&) = default;
};

/// The digits of all elements, in order.
struct digits {
  long long operator()(long long a, long long b) const { return a * 10 + b; }
};

template <class View>
void check_elements(const View& base) {
  const auto view = wf::reverse(base);
  REQUIRE(view.size() == base.size());
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < view.size(); ++i) wrong += !(view[i] == base[base.size() - 1 - i]);
  CHECK(wrong == 0);
  test::check_chunks(view);
  CHECK(wf::bytes_of(view) == wf::bytes_of(base));
}

}  // namespace

TEST_CASE_TEMPLATE("contiguous ranges at every offset", T, signed char, short, float, double,
                   four) {
  const auto values = test::any_values<T>(1000);
  for (const std::size_t offset : test::offsets<T>()) {
    const test::host_memory::array<T> placed(values, offset);
    for (const std::size_t n : test::chunk_lengths) {
      INFO(n, " elements at offset ", offset);
      check_elements(wf::as_view(std::span<const T>(placed.data(), n)));
    }
  }
}

TEST_CASE("views of any other kind") {
  const std::vector<signed char> a(100, 3);
  const auto doubles = test::any_values<double>(100);
  check_elements(wf::zip(a, doubles));
  check_elements(wf::project(doubles, [](double x) { return x + 1; }));
  check_elements(wf::counting(7, 50));
  check_elements(wf::strided(doubles, 3));
  check_elements(wf::reverse(doubles));
}

TEST_CASE("chunks keep their width: 16-byte loads, and single ones at the ends") {
  const auto values = test::any_values<float>(4099);
  const test::host_memory::array<float> placed(values, 4);
  const std::span<const float> range(placed.data(), values.size());
  CHECK(test::loads_of(16, wf::reverse(range)) >= 4096 / 4);
  CHECK(test::loads_of(4, wf::reverse(range)) == test::loads_of(4, wf::as_view(range)));
}

TEST_CASE("what depends on the order: folds from the left, indices, pairs") {
  const std::vector<int> v = {1, 2, 3, 4};
  CHECK(wf::reduce(wf::baseline::left_to_right, wf::reverse(v), digits{}) == 4321);
  std::vector<int> longer(20000, 5);
  longer[3] = longer[17] = 1;
  CHECK(wf::argmin(wf::emulated, wf::reverse(longer)) == wf::indexed<int>{1, 20000 - 1 - 17});
  const auto palindrome = wf::project(wf::zip(v, wf::reverse(v)), [](const auto& both) {
    return wf::get<0>(both) * wf::get<1>(both);
  });
  test::check_kernels(wf::emulated, palindrome, wf::plus{}, 4ll + 6 + 6 + 4);
}

TEST_CASE("kernels of every way of loading") {
  std::vector<short> values(16385);
  long long sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<short>(i % 91 - 30);
    sum += static_cast<long long>(i + 1) * values[i];
  }
  // Weighted by the place, so that each element counts at its own.
  const test::host_memory::array<short> placed(values, 6);
  const auto weighted = [](const auto& both) -> long long {
    return wf::get<0>(both) * wf::get<1>(both);
  };
  const auto view =
      wf::project(wf::zip(wf::reverse(std::span<const short>(placed.data(), values.size())),
                          wf::reverse(wf::counting(1ll, values.size()))),
                  weighted);
  test::check_kernels(wf::emulated, view, wf::plus{}, sum);
}
