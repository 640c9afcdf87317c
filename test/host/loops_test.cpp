// The table of the host loops, and the loop of elements.
#include <warpfold/host/loops.hpp>

#include <doctest/doctest.h>

#include <type_traits>
#include <vector>

namespace wf = warpfold;

namespace {

struct axis {
  using kind = wf::kinds::axis_reduction;
};
struct of_no_kind {};
struct whole_range {
  using kind = wf::kinds::reduction;
};

static_assert(std::is_same_v<wf::host::loop<axis>, wf::host::axis_loop>);
static_assert(wf::has_host_loop<axis> && !wf::has_host_loop<of_no_kind>);
static_assert(!wf::has_host_loop<whole_range>);  // policies fold it themselves

struct marks {
  std::vector<int>* done;
  std::size_t size() const { return done->size(); }
  void run_on_host(std::size_t first, std::size_t last) const {
    for (std::size_t i = first; i < last; ++i) ++(*done)[i];
  }
};
struct halves {
  template <class F>
  void for_parts(std::size_t n, const F& f) const {
    f(std::size_t{0}, n / 2);
    f(n / 2, n);
  }
};

}  // namespace

TEST_CASE("the loop of elements runs each part of the threads") {
  std::vector<int> done(5);
  wf::host::element_loop::run(marks{&done}, halves{});
  CHECK(done == std::vector<int>(5, 1));
}
