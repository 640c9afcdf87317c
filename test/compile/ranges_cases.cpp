// Wrong uses of ranges and elements.
#include <deque>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include <warpfold/copy.hpp>
#include <warpfold/dot.hpp>
#include <warpfold/extrema.hpp>
#include <warpfold/reduce.hpp>
#include <warpfold/sum.hpp>

// expect: an array of arrays is not a range; pass std::span
// An array of two dimensions, whose elements are arrays.
namespace array_of_arrays {
float matrix[3][4];

auto total() { return warpfold::sum(warpfold::seq, matrix); }
}  // namespace array_of_arrays

// expect: elements do not convert to the op's accumulator
// An op whose accumulator cannot be constructed from an element.
namespace element_not_liftable {
struct total {
  long sum;
  int count;
};
struct totals {
  template <class T>
  using accumulator = total;
  total operator()(total a, total b) const { return {a.sum + b.sum, a.count + b.count}; }
  int operator()(int a, int b) const { return a + b; }
};

auto average(const std::vector<int*>& v) {
  struct over_pointers : totals {
    using totals::operator();
    total operator()(int*, int*) const { return {}; }
  };
  return warpfold::reduce(warpfold::seq, v, over_pointers{});
}
}  // namespace element_not_liftable

// expect: not trivially copyable
// Elements that own memory cannot be copied as bytes.
namespace element_not_trivial {
struct person {
  std::string name;

  friend bool operator<(const person& a, const person& b) { return a.name < b.name; }
};

auto last(const std::vector<person>& v) {
  return warpfold::reduce(warpfold::seq, v, warpfold::maximum{});
}
}  // namespace element_not_trivial

// expect: field takes a pointer to a data member
namespace field_is_a_function {
struct particle {
  float mass() const { return 1; }
};

auto call(const std::vector<particle>& v) {
  return warpfold::reduce(warpfold::seq, warpfold::field<&particle::mass>(v), warpfold::plus{});
}
}  // namespace field_is_a_function

// expect: the member that field was given is not one of the range's elements
// A member of another structure than the elements.
namespace field_of_another {
struct particle {
  float mass;
};
struct body {
  float mass;
};

float call(const std::vector<particle>& v) {
  return warpfold::reduce(warpfold::seq, warpfold::field<&body::mass>(v), warpfold::plus{});
}
}  // namespace field_of_another

// expect: an iterator is not a range; pass std::ranges::subrange\(first, last\), with both of one type
// An iterator and a const_iterator.
namespace iterators_of_two_types {
auto total(std::deque<float>& v) { return warpfold::reduce(warpfold::seq, v.begin(), v.cend()); }
}  // namespace iterators_of_two_types

// expect: the iterators are not random-access.*copy the elements into a std::vector
// Iterators that are not random-access.
namespace list_iterators {
auto total(const std::list<float>& v) {
  return warpfold::reduce(warpfold::seq, v.begin(), v.end()) +
         warpfold::reduce(warpfold::seq, v.begin(), v.end(), 0.0f, warpfold::plus{});
}
}  // namespace list_iterators

// expect: the range's elements cannot be copied
// Elements that can only be moved, given to every kind of function.
namespace move_only_elements {
using element = std::unique_ptr<int>;

int held(const element& p) { return *p; }

void call(const std::vector<element>& v, std::vector<int>& out) {
  namespace wf = warpfold;
  (void)wf::reduce(wf::seq, v, wf::plus{});
  (void)wf::reduce(wf::seq, v.begin(), v.end());
  (void)wf::reduce(wf::seq, wf::project(v, held), wf::plus{});
  (void)wf::reduce(wf::seq, wf::zip(v, v), wf::plus{});
  (void)wf::transform_reduce(wf::seq, v, wf::plus{}, held);
  (void)wf::max(wf::seq, v);
  (void)wf::sum(wf::seq, v);
  wf::transform(wf::seq, v, out, held);
  wf::copy(wf::seq, v, out);
}
}  // namespace move_only_elements

// expect: a pointer is not a range, because it has no size; pass std::span\(pointer, size\)
// A pointer without a size.
namespace not_a_range {
auto sum(const int* p) { return warpfold::reduce(warpfold::seq, p, warpfold::plus{}); }
}  // namespace not_a_range

// expect: the op cannot be called as op\(x, x\)
// An op that cannot be called with two elements.
namespace op_takes_no_elements {
struct joins_names {
  const char* operator()(const char* a, const char* b) const;
};

auto joined(const std::vector<float>& v) {
  return warpfold::reduce(warpfold::seq, v, joins_names{});
}
}  // namespace op_takes_no_elements

// expect: the range.s elements are ranges themselves
// A vector of vectors, in several functions: one error.
namespace vector_of_vectors {
void call(const std::vector<std::vector<float>>& v, float* out) {
  (void)warpfold::reduce(warpfold::seq, v, warpfold::plus{});
  (void)warpfold::reduce(warpfold::seq, v, 0.0f, warpfold::plus{});
  (void)warpfold::reduce(warpfold::seq, v.begin(), v.end());
  warpfold::reduce_async(warpfold::seq, v, warpfold::plus{}, out);
  (void)warpfold::sum(warpfold::seq, v);
  (void)warpfold::min(warpfold::seq, v);
  (void)warpfold::minmax(warpfold::seq, v);
  (void)warpfold::argmin(warpfold::seq, v);
}
}  // namespace vector_of_vectors

// expect: a pointer is not a range
// Pointers to void have no elements.
namespace void_pointers {
const void* bytes();

void call() { (void)warpfold::reduce(warpfold::seq, bytes(), bytes()); }
}  // namespace void_pointers
