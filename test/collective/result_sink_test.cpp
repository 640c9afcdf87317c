// result_sink: the result is converted and written once, then the host is signaled, if it waits.
// needs: boost_context
#include <warpfold/collective/result_sink.hpp>

#include <doctest/doctest.h>

#include <vector>

#include "contract/emulated_launch.hpp"

namespace {

using namespace warpfold;
using namespace warpfold::collective;

/// An output that knows whether the host had been signaled when it was written.
struct watched {
  static inline const unsigned* flag = nullptr;
  static inline unsigned seen = 0;
  double value = 0;

  watched() = default;
  explicit watched(double x) : value(x) {}
  watched(const watched& other) : value(other.value) {
    if (flag != nullptr) seen = *flag;
  }
};

/// Stores a result in two arrays.
struct halves {
  int* whole;
  double* rest;

  void* memory() const { return rest; }
  void operator()(double x) const {
    *whole = static_cast<int>(x);
    *rest = x - *whole;
  }
};

}  // namespace

TEST_CASE("the result is converted to the output's type and the flag set to the signal") {
  std::vector<float> out(2, -1.0f);
  unsigned flag = 0;
  test::emulated_launch on;
  on.array(out);
  const result_sink<float> sink{out.data(), &flag, 17};
  const auto& counts = on.run({1, 32}, [=] {
    if (threadIdx.x == 0) sink.in_registers().deliver(2.5);
  });
  CHECK(out[0] == 2.5f);
  CHECK(out[1] == -1);
  CHECK(flag == 17);
  CHECK(counts.total(emulation::traffic::global_store).requests == 1);
}

TEST_CASE("without a flag nobody is signaled") {
  std::vector<int> out(1);
  test::emulated_launch on;
  on.array(out);
  const result_sink<int> sink{out.data(), nullptr, 1};
  on.run({1, 32}, [=] {
    if (threadIdx.x == 31) sink.deliver(7ll);
  });
  CHECK(out[0] == 7);
}

TEST_CASE("the result is written before the signal") {
  std::vector<watched> out(1);
  unsigned flag = 0;
  test::emulated_launch on;
  on.array(out);
  const result_sink<watched> sink{out.data(), &flag, 1};
  watched::seen = 99;
  watched::flag = &flag;
  on.run({1, 32}, [=] {
    if (threadIdx.x == 0) sink.deliver(3.0);
  });
  watched::flag = nullptr;
  CHECK(watched::seen == 0);
  CHECK(flag == 1);
  CHECK(out[0].value == 3);
}

TEST_CASE("an output outside the launch's memory is an error, and nobody is signaled") {
  int out = 5;
  unsigned flag = 0;
  test::emulated_launch on;
  const result_sink<int> sink{&out, &flag, 1};
  CHECK_ERROR(on.error_of({1, 32}, [=] { sink.deliver(1); }), "outside every array of the launch");
  CHECK(out == 5);
  CHECK(flag == 0);
}

TEST_CASE("written_by calls its function once with the result") {
  int whole = 0;
  double rest = 0;
  const result_sink<written_by<halves>> sink{{&whole, &rest}};
  test::emulated_launch on;
  on.run({1, 32}, [=] {
    if (threadIdx.x == 3) sink.in_registers().deliver(2.25);
  });
  CHECK(whole == 2);
  CHECK(rest == 0.25);
  CHECK(sink.memory() == &rest);
}
