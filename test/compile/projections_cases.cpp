// Wrong uses of projections and predicates.
#include <string>
#include <vector>

#include <warpfold/count.hpp>
#include <warpfold/op/all.hpp>
#include <warpfold/reduce.hpp>
#include <warpfold/sum.hpp>
#include <warpfold/transform_reduce.hpp>

// expect: the function cannot be called with an element
namespace predicate_is_a_member_function {
struct particle {
  bool is_fast() const { return true; }
};

auto call(const std::vector<particle>& v) {
  return warpfold::count_if(warpfold::seq, v, &particle::is_fast);
}
}  // namespace predicate_is_a_member_function

// expect: the function cannot be called with an element of the range
// A predicate that does not take the range's elements.
namespace predicate_of_another {
struct is_empty {
  bool operator()(const std::string& s) const { return s.empty(); }
};

bool none(const std::vector<float>& v) { return warpfold::none_of(warpfold::seq, v, is_empty{}); }
}  // namespace predicate_of_another

// expect: the function of the elements returns an array
namespace projection_gives_an_array {
struct particle {
  float at[3];
};

void call(const std::vector<particle>& v) {
  (void)warpfold::reduce(warpfold::seq, warpfold::project(v, &particle::at), warpfold::plus{});
}
}  // namespace projection_gives_an_array

// expect: the function of the elements returns nothing
// A projection that returns nothing.
namespace projection_gives_nothing {
void nothing(float) {}

void call(const std::vector<float>& v) {
  (void)warpfold::reduce(warpfold::seq, warpfold::project(v, nothing), warpfold::plus{});
  (void)warpfold::transform_reduce(warpfold::seq, v, warpfold::plus{}, nothing);
}
}  // namespace projection_gives_nothing

// expect: the function of a projected part of wf::all
// A part of several reductions whose projection does not take the elements.
namespace projection_in_all {
struct size {
  std::size_t operator()(const std::string& s) const { return s.size(); }
};

void call(const std::vector<float>& v) {
  using namespace warpfold;
  const auto both = reduce(seq, v, all(plus{}, projected(plus{}, size{})));
  (void)get<0>(both);
}
}  // namespace projection_in_all

// expect: the function of a projected part of wf::all
// Projections whose results an op compares: those of a guarded op.
namespace projection_in_all_gives_nothing {
void call(const std::vector<float>& v) {
  using namespace warpfold;
  const auto nothing = [](const float&) {};
  (void)reduce(seq, v, all(projected(maximum{}, nothing)));
}
}  // namespace projection_in_all_gives_nothing

// expect: the function of a projected part of wf::all
namespace projection_in_all_is_a_member_function {
struct particle {
  float energy() const { return 1; }
};

void call(const std::vector<particle>& v) {
  using namespace warpfold;
  (void)reduce(seq, v, all(projected(maximum{}, &particle::energy)));
}
}  // namespace projection_in_all_is_a_member_function

// expect: the function is a pointer to a member function
// A pointer to a member function is not a function object.
namespace projection_is_a_member_function {
struct particle {
  float energy() const { return 1; }
};

void call(const std::vector<particle>& v) {
  (void)warpfold::reduce(warpfold::seq, warpfold::project(v, &particle::energy), warpfold::plus{});
}
}  // namespace projection_is_a_member_function

// expect: the function cannot be called with an element of the range
// A projection that does not take the elements, in every call: one error.
namespace projection_takes_no_elements {
struct size {
  std::size_t operator()(const std::string& s) const { return s.size(); }
};

void call(const std::vector<float>& v, float* out) {
  (void)warpfold::reduce(warpfold::seq, warpfold::project(v, size{}), warpfold::maximum{});
  (void)warpfold::sum(warpfold::seq, warpfold::project(v, size{}));
  (void)warpfold::sum(warpfold::seq, warpfold::zip(v, warpfold::project(v, size{})));
  (void)warpfold::transform_reduce(warpfold::seq, v, warpfold::plus{}, size{});
  (void)warpfold::transform_reduce(warpfold::seq, v, 0.0f, warpfold::plus{}, size{});
  warpfold::transform_reduce_async(warpfold::seq, v, warpfold::plus{}, size{}, out);
}
}  // namespace projection_takes_no_elements

// expect: the function cannot be called with an element
// A function cannot move from elements.
namespace projection_takes_rvalues {
void call(const std::vector<float>& v) {
  const auto negated = [](float&& x) { return -x; };
  (void)warpfold::reduce(warpfold::seq, warpfold::project(v, negated), warpfold::plus{});
}
}  // namespace projection_takes_rvalues
