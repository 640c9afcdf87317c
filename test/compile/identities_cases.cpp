// Wrong uses of identities.
#include <limits>
#include <string>
#include <vector>

#include <warpfold/reduce.hpp>

// expect: does not convert to the op.s
// No int is an infinity.
namespace identity_infinity_of_int {
int call(const std::vector<int>& v) {
  const auto least = [](int a, int b) { return a < b ? a : b; };
  return warpfold::reduce(warpfold::seq, v,
                          warpfold::with_identity(least, std::numeric_limits<double>::infinity()));
}
}  // namespace identity_infinity_of_int

// expect: with_identity was given a value that does not convert
// An identity of another type is an error; it does not make an op without identity.
namespace identity_not_convertible {
struct text {
  char at[8];
};

float call(const std::vector<float>& v) {
  const auto larger = [](float a, float b) { return a < b ? b : a; };
  return warpfold::reduce(warpfold::seq, v, warpfold::with_identity(larger, text{}));
}
}  // namespace identity_not_convertible

// expect: a number stands where the op goes; call with_identity\(op, value\)
// The arguments of with_identity are exchanged.
namespace number_as_op_with_identity {
auto op() { return warpfold::with_identity(0.0f, warpfold::plus{}); }
}  // namespace number_as_op_with_identity

// expect: the op.s identity.. does not convert
// An identity of another type than the op folds in.
namespace own_identity_not_convertible {
struct longest {
  std::string identity() const { return {}; }
  int operator()(int a, int b) const { return a < b ? b : a; }
};

int call(const std::vector<int>& v) { return warpfold::reduce(warpfold::seq, v, longest{}); }
}  // namespace own_identity_not_convertible
