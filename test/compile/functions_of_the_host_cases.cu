// Wrong uses of functions that only the host has, on a GPU.
// needs: cccl
#include <cuda/std/mdspan>

#include <span>

#include <warpfold/collectives.hpp>
#include <warpfold/copy.hpp>
#include <warpfold/count.hpp>
#include <warpfold/dot.hpp>
#include <warpfold/drop_in/thrust.hpp>
#include <warpfold/extrema.hpp>
#include <warpfold/op/all.hpp>
#include <warpfold/reduce.hpp>
#include <warpfold/reduce_axis.hpp>
#include <warpfold/reduce_many.hpp>
#include <warpfold/reduce_segments.hpp>
#include <warpfold/transform.hpp>
#include <warpfold/transform_axis.hpp>

// expect: (?=.*answer<\D*0> ::operator bool)(?=.*answer<\D*1> ::operator bool)(?=.*answer<\D*2> ::operator bool)(?=.*answer<\D*3> ::operator bool)
// errors: 8
// What predicates, comparisons and == return.
namespace host_answer_on_device {
template <int>
struct answer {
  bool value;
  operator bool() const { return value; }
};
struct is_positive {
  WARPFOLD_HD answer<0> operator()(float x) const { return {x > 0}; }
};
template <int Of>
struct is_less {
  WARPFOLD_HD answer<Of> operator()(float a, float b) const { return {a < b}; }
};
struct item {
  float value;
  WARPFOLD_HD friend answer<3> operator==(item a, item b) { return {a.value == b.value}; }
};

void call(std::span<const float> v, std::span<const item> items) {
  (void)warpfold::count_if(warpfold::device, v, is_positive{});
  (void)warpfold::argmin(warpfold::device, v, is_less<1>{});
  (void)warpfold::argmax(warpfold::device, v, is_less<2>{});
  (void)warpfold::count(warpfold::device, items, item{1});
}
}  // namespace host_answer_on_device

// expect: calling a __host__ function.*total::total
// errors: 2
// Likewise for a part of wf::all.
namespace host_constructor_of_accumulator_of_part_on_device {
struct total {
  long long value;
  total() = default;
  total(int x) : value(x) {}
};
struct adds {
  template <class T>
  using accumulator = total;
  WARPFOLD_HD total operator()(total a, const total& b) const {
    a.value += b.value;
    return a;
  }
};

auto call(std::span<const int> v) {
  return warpfold::reduce(warpfold::device, v, warpfold::all(warpfold::maximum{}, adds{}));
}
}  // namespace host_constructor_of_accumulator_of_part_on_device

// expect: calling a __host__ function.*total::total
// errors: 2
// An accumulator that only the host can make of an element.
namespace host_constructor_of_accumulator_on_device {
struct total {
  long long value;
  total() = default;
  total(int x) : value(x) {}
};
struct adds {
  template <class T>
  using accumulator = total;
  WARPFOLD_HD total operator()(total a, const total& b) const {
    a.value += b.value;
    return a;
  }
};

total call(std::span<const int> v) { return warpfold::reduce(warpfold::device, v, adds{}); }
}  // namespace host_constructor_of_accumulator_on_device

// expect: calling a __host__ function
// errors: 2
// Elements behind a mask, which only the host converts to the accumulator.
namespace host_conversion_behind_mask {
struct item {
  int value;
  operator long long() const { return value; }
};
struct adds {
  template <class T>
  using accumulator = long long;
  WARPFOLD_HD long long operator()(long long a, long long b) const { return a + b; }
  WARPFOLD_HD long long identity() const { return 0; }
};

long long call(std::span<const item> v, std::span<const unsigned> bits) {
  return warpfold::reduce(warpfold::device, warpfold::where(v, bits), adds{});
}
}  // namespace host_conversion_behind_mask

// expect: calling a __host__ function.*item::operator float
// errors: 2
// Elements that only the host converts to the accumulator of a call in the form of Thrust.
namespace host_conversion_in_thrust_call {
struct item {
  float value;
  operator float() const { return value; }
};
struct least {
  WARPFOLD_HD float operator()(float a, float b) const { return a < b ? a : b; }
};

float call(const item* values) {
  return warpfold::drop_in::thrust::reduce(thrust::device, values, values + 3, 1.0f, least{});
}
}  // namespace host_conversion_in_thrust_call

// expect: calling a __host__ function.*item::item
// errors: 2
// Likewise of transform_axis.
namespace host_conversion_of_axis_function_on_device {
struct item {
  float value;
  item() = default;
  explicit item(float x) : value(x) {}
};
using elements = cuda::std::dextents<int, 2>;
struct difference {
  WARPFOLD_HD float operator()(float x, float sum) const { return x - sum; }
};

void call(cuda::std::mdspan<const float, elements> in, cuda::std::mdspan<item, elements> out) {
  warpfold::transform_axis<1>(warpfold::device, in, warpfold::plus{}, out, difference{});
}
}  // namespace host_conversion_of_axis_function_on_device

// expect: calling a __host__ function.*first::operator float
// errors: 2
// Likewise in memory, of an axis.
namespace host_conversion_of_axis_init_on_device {
struct first {
  float value;
  operator float() const { return value; }
};

void call(std::span<const float> v, std::span<float> out, const first* init) {
  warpfold::reduce_segments(warpfold::device, v, warpfold::segments_of_size(4), warpfold::plus{},
                            warpfold::value_at(init), out);
}
}  // namespace host_conversion_of_axis_init_on_device

// expect: calling a __host__ function.*item::item
// errors: 2
// Elements that only the host can make, as outputs of copy.
namespace host_conversion_of_copy_on_device {
struct item {
  float value;
  item() = default;
  explicit item(float x) : value(x) {}
};

void call(std::span<const float> in, std::span<item> out) {
  warpfold::copy(warpfold::device, in, out);
}
}  // namespace host_conversion_of_copy_on_device

// expect: calling a __host__ function.*item::operator float
// errors: 2
// What transform's function returns, which only the host converts to the output's elements.
namespace host_conversion_of_function_result_on_device {
struct item {
  float value;
  operator float() const { return value; }
};
struct make_item {
  WARPFOLD_HD item operator()(float x) const { return {x}; }
};

void call(std::span<const float> in, std::span<float> out) {
  warpfold::transform(warpfold::device, in, out, make_item{});
}
}  // namespace host_conversion_of_function_result_on_device

// expect: calling a __host__ function.*first::operator float
// errors: 2
// An init.
namespace host_conversion_of_init_on_device {
struct first {
  float value;
  operator float() const { return value; }
};

void call(std::span<const float> v, float* out) {
  warpfold::reduce_async(warpfold::device, v, first{1}, warpfold::plus{}, out);
}
}  // namespace host_conversion_of_init_on_device

// expect: calling a __host__ function.*lifted::operator float
// errors: 2
// The result of `lift`, which only the host converts to the accumulator.
namespace host_conversion_of_lifted_on_device {
struct lifted {
  float value;
  operator float() const { return value; }
};
struct adds {
  template <class T>
  using accumulator = float;
  WARPFOLD_HD float operator()(float a, float b) const { return a + b; }
  WARPFOLD_HD lifted lift(float x) const { return {x * 2}; }
};

void call(std::span<const float> v, std::span<const int> offsets, std::span<float> out) {
  warpfold::reduce_segments(warpfold::device, v, offsets, adds{}, out);
}
}  // namespace host_conversion_of_lifted_on_device

// expect: calling a __host__ function.*item::operator float
// errors: 4
// Likewise of a list of ranges.
namespace host_conversion_of_many_output_on_device {
struct item {
  float value;
  item() = default;
  WARPFOLD_HD explicit item(float x) : value(x) {}
  explicit operator float() const { return value; }
};

void call(std::span<const std::span<const float>> ranges, std::span<item> out) {
  warpfold::reduce_many(warpfold::device, ranges, warpfold::plus{}, warpfold::accumulate(out));
}
}  // namespace host_conversion_of_many_output_on_device

// expect: (?=.*sum<\D*0> ::operator float)(?=.*sum<\D*1> ::operator float)
// errors: 4
// The result of the op, and its identity.
namespace host_conversion_of_op_result_on_device {
template <int>
struct sum {
  float value;
  operator float() const { return value; }
};
struct adds {
  template <class T>
  using accumulator = float;
  WARPFOLD_HD sum<0> operator()(float a, float b) const { return {a + b}; }
  WARPFOLD_HD sum<1> identity() const { return {0}; }
};

float call(std::span<const float> v) { return warpfold::reduce(warpfold::device, v, adds{}); }
}  // namespace host_conversion_of_op_result_on_device

// expect: calling a __host__ function
// errors: 4
// What accumulate(out) holds, which only the host converts to the accumulator; and results.
// Converts from a number and to one on the host only.
namespace host_conversion_of_output_on_device {
struct item {
  float value;
  item() = default;
  explicit item(float x) : value(x) {}
  explicit operator float() const { return value; }
};

void call(cuda::std::mdspan<const float, cuda::std::dextents<int, 2>> m, std::span<item> out) {
  warpfold::reduce_axis<0>(warpfold::device, m, warpfold::plus{}, warpfold::accumulate(out));
}
}  // namespace host_conversion_of_output_on_device

// expect: calling a __host__ function
// errors: 2
// Results of reduce_axis, which only the host converts to the output's elements.
// Converts from a number and to one on the host only.
namespace host_conversion_of_result_on_device {
struct item {
  float value;
  item() = default;
  explicit item(float x) : value(x) {}
  explicit operator float() const { return value; }
};

void call(cuda::std::mdspan<const float, cuda::std::dextents<int, 2>> m, std::span<item> out) {
  warpfold::reduce_axis<0>(warpfold::device, m, warpfold::plus{}, out);
}
}  // namespace host_conversion_of_result_on_device

// expect: calling a __host__ function.*first::operator float
// errors: 2
// Likewise of segments.
namespace host_conversion_of_segments_init_on_device {
struct first {
  float value;
  operator float() const { return value; }
};

void call(std::span<const float> v, std::span<const int> offsets, std::span<float> out) {
  warpfold::reduce_segments(warpfold::device, v, offsets, warpfold::plus{}, first{1}, out);
}
}  // namespace host_conversion_of_segments_init_on_device

// expect: calling a __host__ function.*item::operator float
// errors: 4
// What accumulate(out) of segments holds, which only the host converts to the accumulator; results.
namespace host_conversion_of_segments_output_on_device {
struct item {
  float value;
  item() = default;
  WARPFOLD_HD explicit item(float x) : value(x) {}
  explicit operator float() const { return value; }
};

void call(std::span<const float> v, std::span<const int> offsets, std::span<item> out) {
  warpfold::reduce_segments(warpfold::device, v, offsets, warpfold::plus{},
                            warpfold::accumulate(out));
}
}  // namespace host_conversion_of_segments_output_on_device

// expect: calling a __host__ function.*doubled_sum::finish
// errors: 2
// A host-only `finish` of an op on computed elements.
namespace host_finish_after_projection_on_device {
struct doubled_sum {
  WARPFOLD_HD float operator()(float a, float b) const { return a + b; }
  float finish(float a) const { return a * 2; }
};
struct negative {
  WARPFOLD_HD float operator()(float x) const { return -x; }
};

void call(cuda::std::mdspan<const float, cuda::std::dextents<int, 2>> m, std::span<float> out) {
  warpfold::reduce_axis<1>(warpfold::device, warpfold::project(m, negative{}), doubled_sum{}, out);
}
}  // namespace host_finish_after_projection_on_device

// expect: calling a __host__ function
// errors: 2
// An op with a host-only `finish`, in a kernel of a user's own.
namespace host_finish_in_own_kernel {
struct doubled_sum {
  WARPFOLD_HD float operator()(float a, float b) const { return a + b; }
  float finish(float a) const { return a * 2; }
};

__global__ void sum(const float* in, float* out) {
  *out = warpfold::block_reduce(in[threadIdx.x], doubled_sum{});
}
}  // namespace host_finish_in_own_kernel

// expect: calling a __host__ function
// errors: 2
// An op of `all` with a host-only `finish`.
namespace host_finish_of_part_on_device {
struct doubled_sum {
  WARPFOLD_HD float operator()(float a, float b) const { return a + b; }
  double finish(float a) const { return a * 2; }
};

void call(std::span<const float> v, warpfold::tuple<float, double>* out) {
  warpfold::reduce_async(warpfold::device, v, warpfold::all(warpfold::plus{}, doubled_sum{}), out);
}
}  // namespace host_finish_of_part_on_device

// expect: calling a __host__ function
// errors: 2
// Without this error, nvcc would compile a function without __device__ to nothing, and results
// would be wrong.
namespace host_function_on_device {
struct forgot_device {
  float operator()(float x) const { return x * x; }
};

void call(std::span<const float> in, std::span<float> out) {
  warpfold::transform(warpfold::device, in, out, forgot_device{});
}
}  // namespace host_function_on_device

// expect: calling a __host__ function
// errors: 2
// The identity of a part of wf::all lacks __device__.
namespace host_identity_of_part_on_device {
struct longest {
  int identity() const { return 3; }
  __host__ __device__ int operator()(int a, int b) const { return a < b ? b : a; }
};

auto call(std::span<const int> v) {
  return warpfold::reduce(warpfold::device, v, warpfold::all(warpfold::plus{}, longest{}));
}
}  // namespace host_identity_of_part_on_device

// expect: calling a __host__ function
// errors: 2
// An identity without __device__ would be compiled to nothing on the GPU, and the result would be
// wrong without a message.
namespace host_identity_on_device {
struct longest {
  template <class T>
  T identity() const {
    return T{3};
  }
  __host__ __device__ int operator()(int a, int b) const { return a < b ? b : a; }
};

int call(std::span<const int> v) { return warpfold::reduce(warpfold::device, v, longest{}); }
}  // namespace host_identity_on_device

// expect: calling a __host__ function.*adds_weighted::lift
// errors: 2
// Likewise one with the element's index.
namespace host_indexed_lift_on_device {
struct adds_weighted {
  WARPFOLD_HD float operator()(float a, float b) const { return a + b; }
  float lift(float x, std::size_t i) const { return x * static_cast<float>(i); }
};

void call(cuda::std::mdspan<const float, cuda::std::dextents<int, 2>> m, std::span<float> out) {
  warpfold::reduce_axis<1>(warpfold::device, m, adds_weighted{}, out);
}
}  // namespace host_indexed_lift_on_device

// expect: calling a __host__ function.*adds_doubled::lift
// errors: 2
// An op's host-only `lift`.
namespace host_lift_on_device {
struct adds_doubled {
  WARPFOLD_HD float operator()(float a, float b) const { return a + b; }
  float lift(float x) const { return x * 2; }
};

float call(std::span<const float> v) {
  return warpfold::reduce(warpfold::device, v, adds_doubled{});
}
}  // namespace host_lift_on_device

// expect: calling a __host__ function
// errors: 2
// A host-only op of a collective in a kernel of a user's own.
namespace host_op_in_own_kernel {
struct host_only {
  float operator()(float a, float b) const { return a < b ? a : b; }
};

__global__ void least(const float* in, float* out) {
  *out = warpfold::block_reduce(in[threadIdx.x], host_only{});
}
}  // namespace host_op_in_own_kernel

// expect: calling a __host__ function
// errors: 2
// Without this error, nvcc would compile an op without __device__ to nothing, and results would be
// wrong.
namespace host_op_of_axis_on_device {
struct forgot_device {
  float operator()(float a, float b) const { return a * b + 1; }
};

void call(cuda::std::mdspan<const float, cuda::std::dextents<int, 2>> m, std::span<float> out) {
  warpfold::reduce_axis<1>(warpfold::device, m, forgot_device{}, out);
}
}  // namespace host_op_of_axis_on_device

// expect: calling a __host__ function.*forgot_device::operator.*mark_the_called_function_host_device
// errors: 2
// Without this error, nvcc would compile an op without __device__ to nothing, and results would be
// wrong.
namespace host_op_on_device {
struct forgot_device {
  float operator()(float a, float b) const { return a * b + 1; }
};

float call(std::span<const float> v) {
  return warpfold::reduce(warpfold::device, v, forgot_device{});
}
}  // namespace host_op_on_device

// expect: (?=.*least::operator \(\))(?=.*least::lift)(?=.*least::finish)(?=.*least_item::operator float)
// errors: 8
// The members of an op with an identity by `with_identity`; the identity.
namespace host_op_with_identity_on_device {
struct least {
  float operator()(float a, float b) const { return a < b ? a : b; }
  float lift(float x) const { return x * 2; }
  float finish(float a) const { return a * 2; }
};
struct least_item {
  operator float() const { return 3e38f; }
};

void call(std::span<const float> v, float* out) {
  warpfold::reduce_async(warpfold::device, v, warpfold::with_identity(least{}, least_item{}), out);
}
}  // namespace host_op_with_identity_on_device

// expect: calling a __host__ function
// errors: 12
// Element operators that only the host can call, used by the library's ops. Without this error,
// nvcc would compile them to nothing.
namespace host_operators_on_device {
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
}  // namespace host_operators_on_device

// expect: calling a __host__ function
// errors: 4
// Likewise a part of several reductions at once.
namespace host_part_on_device {
namespace wf = warpfold;

struct forgot_device {
  float operator()(float x) const { return x * x; }
};
struct forgot_too {
  float operator()(float a, float b) const { return a + b; }
};

auto call(std::span<const float> v) {
  return wf::reduce(wf::device, v,
                    wf::all(wf::projected(wf::plus{}, forgot_device{}), forgot_too{}));
}
}  // namespace host_part_on_device

// expect: calling a __host__ function
// errors: 2
// A predicate that only the host can call, used by the library's function objects.
namespace host_predicate_on_device {
struct forgot_device {
  bool operator()(float x) const { return x > 0; }
};

auto call(std::span<const float> v) {
  return warpfold::count_if(warpfold::device, v, forgot_device{});
}
}  // namespace host_predicate_on_device

// expect: calling a __host__ function.*forgot_device::operator.*mark_the_called_function_host_device
// errors: 2
// Likewise a projection.
namespace host_projection_on_device {
struct forgot_device {
  float operator()(float x) const { return x * x; }
};

float call(std::span<const float> v) {
  return warpfold::reduce(warpfold::device, warpfold::project(v, forgot_device{}),
                          warpfold::plus{});
}
}  // namespace host_projection_on_device
