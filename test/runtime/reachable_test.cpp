// Checks of the memory that host threads access, where no driver is loaded: null and misaligned
// pointers, of views, outputs and folds along an axis.
#include <warpfold/runtime/reachable.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <string>

#include <warpfold/view/contiguous.hpp>
#include <warpfold/view/output.hpp>
#include <warpfold/view/zip.hpp>
#include <warpfold/work/kinds.hpp>

namespace wf = warpfold;

namespace {

alignas(16) const unsigned char bytes[64] = {};

template <class F>
void check_refused(const F& f, const char* why) {
  CHECK_THROWS_WITH_AS(f(), doctest::Contains(why), wf::invalid_range);
}

/// What check_host_memory asks of work.
struct axis {
  using kind = wf::kinds::axis_reduction;
  const void* in;
  const void* out;

  template <class F>
  void visit_read(const F& f) const {
    f(in, std::size_t{8}, std::size_t{4});
  }
  template <class F>
  void visit_written(const F& f) const {
    f(out, std::size_t{8}, std::size_t{4});
  }
};

}  // namespace

TEST_CASE("null and misaligned pointers throw, and the message names the pointer") {
  using wf::runtime::check_host_pointer;
  check_host_pointer(bytes, 64, 16);
  check_host_pointer(bytes + 1, 63, 1);
  check_refused([] { check_host_pointer(nullptr, 12, 4); },
                "the range is a null pointer, but the call needs 12 bytes there");
  check_refused([] { check_host_pointer(bytes + 2, 4, 4, "the output"); }, "the output at 0x");
  check_refused([] { check_host_pointer(bytes + 2, 4, 4); },
                "is not aligned to its element (4 bytes)");
}

TEST_CASE("an empty range is not checked") {
  wf::runtime::check_host_pointer(nullptr, 0, 4);
  wf::runtime::check_host_pointer(bytes + 1, 0, 4);
  wf::runtime::check_host_readable(wf::contiguous_view<float>());
}

TEST_CASE("every array of a view, an output and a fold along an axis is checked") {
  const auto* const aligned = reinterpret_cast<const int*>(bytes);
  const auto* const odd = reinterpret_cast<const int*>(bytes + 2);
  const wf::contiguous_view<int> good(aligned, 4);
  wf::runtime::check_host_readable(wf::zip(good, good));
  check_refused(
      [&] { wf::runtime::check_host_readable(wf::zip(good, wf::contiguous_view<int>(odd, 4))); },
      "the range at");
  wf::runtime::check_host_memory(axis{bytes, bytes + 4});
  check_refused([] { wf::runtime::check_host_memory(axis{nullptr, bytes}); },
                "the input is a null");
  check_refused([] { wf::runtime::check_host_memory(axis{bytes, bytes + 1}); }, "the output at");
  check_refused([] { wf::runtime::check_host_memory(axis{bytes, nullptr}); },
                "the output is a null pointer, but the call needs");
}

TEST_CASE("without a driver no memory is a device's") {
  CHECK_FALSE(wf::runtime::detail::is_device_memory(bytes));
  int local = 0;
  CHECK_FALSE(wf::runtime::detail::is_device_memory(&local));
  CHECK(wf::runtime::detail::libraries_loaded() > 0);
  CHECK(wf::runtime::detail::libraries_loaded() == wf::runtime::detail::libraries_loaded());
}
