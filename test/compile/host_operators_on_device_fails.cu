// Element operators that only the host can call, used by the library's ops. Without this error,
// nvcc would compile them to nothing.
// expect: calling a __host__ function
// errors: 12
#include <span>

#include <warpfold/dot.hpp>
#include <warpfold/extrema.hpp>
#include <warpfold/reduce.hpp>

namespace wf = warpfold;

template <int>
struct money {
  long cents;

  money operator+(const money& b) const { return {cents + b.cents}; }
  money operator*(const money& b) const { return {cents * b.cents}; }
  bool operator<(const money& b) const { return cents < b.cents; }
  explicit operator bool() const { return cents != 0; }
};

void call(std::span<const money<0>> a, std::span<const money<1>> b, std::span<const money<2>> c,
          std::span<const money<3>> d, std::span<const money<4>> e) {
  (void)wf::reduce(wf::device, a, wf::plus{});
  (void)wf::reduce(wf::device, b, wf::minimum{});
  (void)wf::argmax(wf::device, c);
  (void)wf::reduce(wf::device, d, wf::logical_or{});
  (void)wf::dot(wf::device, e, e);
}
