/// @file
/// Tests kernels with every view of a memory layout: on the GPU if nvcc compiles the file,
/// otherwise in the emulation. A test file names kernels (kernel_contract.hpp):
///
///     TEST_CASE_TEMPLATE_INVOKE(kernel_layouts,
///                               test::kernel_subject<test::layout_fixture, wf::kernel::atomic>);
#pragma once

#include <cuda/std/array>
#include <cuda/std/mdspan>

#include <warpfold/soa.hpp>
#include <warpfold/view/aligned.hpp>
#include <warpfold/view/field.hpp>
#include <warpfold/view/mdspan.hpp>
#include <warpfold/view/packed.hpp>

#include "contract/kernel_contract.hpp"
#include "contract/staged_contract.hpp"

#if defined(__CUDACC__)
#include "contract/device_memory.hpp"
#else
#include <warpfold/policy/emulated.hpp>
#endif

namespace test {

#if defined(__CUDACC__)
struct layout_fixture : device_memory {
  static auto policy() { return wf::device; }
  template <class T>
  using soa = wf::soa<T>;
};
#else
struct layout_fixture : host_memory {
  static auto policy() { return wf::emulated; }
  template <class T>
  using soa = wf::host_soa<T>;
};
#endif

/// Twenty-four bytes, with an array for each field.
struct layout_record {
  BOOST_HANA_DEFINE_STRUCT(layout_record, (int, id), (short, kind), (double, mass), (float, x));
};

struct number_of_record {
  WARPFOLD_HD long long operator()(const layout_record& r) const {
    return r.id * 7ll + r.kind * 5 + static_cast<long long>(r.mass) * 3 +
           static_cast<long long>(r.x);
  }
};
struct product_of_both {
  template <class Pair>
  WARPFOLD_HD int operator()(const Pair& p) const {
    return wf::get<0>(p) * wf::get<1>(p);
  }
};

inline std::vector<layout_record> layout_records(std::size_t n) {
  random_bits random;
  std::vector<layout_record> all(n);
  for (layout_record& r : all) {
    r.id = static_cast<int>(random() % 1000);
    r.kind = static_cast<short>(random() % 1000);
    r.mass = static_cast<double>(random() % 1000);
    r.x = static_cast<float>(random() % 1000);
  }
  return all;
}

/// Three of every five columns of a column-major matrix.
template <class T>
auto layout_matrix(const T* data, std::size_t columns) {
  using extents = cuda::std::dextents<std::size_t, 2>;
  using strided = cuda::std::layout_stride;
  return cuda::std::mdspan<const T, extents, strided>(
      data, strided::mapping<extents>(extents(3, columns),
                                      cuda::std::array<std::size_t, 2>{1, std::size_t{5}}));
}

}  // namespace test

TEST_CASE_TEMPLATE_DEFINE("a kernel reads every layout", Subject, kernel_layouts) {
  using fixture = typename Subject::fixture;
  using wide = test::bytes_of_size<20, 4>;
  constexpr std::size_t most = 4095;
  const auto structs = test::any_bytes<wide>(most);
  const auto chars = test::any_bytes<signed char>(most);
  const auto bytes = test::any_bytes<unsigned char>(most);
  const auto longs = test::any_bytes<test::bytes_of_size<24, 8>>(most);
  const auto records = test::layout_records(most);
  for (const std::size_t off : {0, 1}) {  // the smallest misalignment of the type
    const typename fixture::template array<wide> s(structs, off * 4);
    const typename fixture::template array<signed char> c(chars, off);
    const typename fixture::template array<unsigned char> b(bytes, off * 3);
    const typename fixture::template array<test::bytes_of_size<24, 8>> l(longs, off * 8);
    const typename fixture::template array<test::layout_record> r(records, off * 8);
    for (const std::size_t n : {std::size_t{1}, std::size_t{33}, std::size_t{1000}, most}) {
      INFO(n, " elements, off alignment: ", off);
      const auto check = [&](const char* view, const auto& here, const auto& there) {
        INFO(view);
        CHECK(wf::reduce(Subject::policy(), there, wf::plus{}) ==
              wf::reduce(wf::seq, here, wf::plus{}));
      };
      const auto both = [&](const char* view, const auto& of, const auto& here, const auto& there) {
        check(view, of(std::span(here.data(), n)), of(std::span(there.data(), n)));
      };
      both(
          "staged", [](auto v) { return wf::project(wf::staged(v), test::hash_of_bytes{}); },
          structs, s);
      both("packed", [](auto v) { return wf::packed(v); }, chars, c);
      both("field", [](auto v) { return wf::field<&test::layout_record::kind>(v); }, records, r);
      both(
          "aligned", [](auto v) { return wf::project(wf::aligned<8>(v), test::hash_of_bytes{}); },
          longs, l);
      const auto zipped = [n](const auto& x, const auto& y) {
        return wf::project(wf::zip(wf::packed(std::span(x.data(), n)), std::span(y.data(), n)),
                           test::product_of_both{});
      };
      check("packed zip", zipped(chars, bytes), zipped(c, b));
      check("matrix", wf::matrix(test::layout_matrix(chars.data(), (n + 4) / 5)),
            wf::matrix(test::layout_matrix(c.data(), (n + 4) / 5)));

      const std::vector<test::layout_record> some(records.begin(),
                                                  records.begin() + static_cast<long>(n));
      const typename fixture::template soa<test::layout_record> apart(some);
      check("structs of soa", wf::project(some, test::number_of_record{}),
            wf::project(apart.view(), test::number_of_record{}));
      check("field of soa", wf::field<&test::layout_record::id>(some),
            apart.template field<&test::layout_record::id>());
    }
  }
}
