// An op that returns nothing, changes an argument, or takes another number of arguments: one error
// each, which says which and shows the types.
// expect: the op returns nothing.*the op takes an argument by a reference to non-const.*the op takes one argument, but.*op_combines<.*float, float>.*the op takes three arguments, but.*the op takes one argument, but
// errors: 5
#include <vector>

#include <warpfold/reduce.hpp>

struct no_result {
  void operator()(float a, float b) const;
};
struct changes_first {
  float operator()(float& a, const float& b) const;
};
struct of_one {
  float operator()(float x) const;
};
struct of_three {
  float operator()(float a, float b, float c) const;
};

void call(const std::vector<float>& v) {
  using namespace warpfold;
  (void)reduce(seq, v, no_result{});
  (void)reduce(seq, v, changes_first{});
  (void)reduce(seq, v, of_one{});
  (void)reduce(seq, v, of_three{});
  (void)reduce(seq, v, 1.0f, of_one{});
}
