// Keys without operator==.
// expect: the keys cannot be compared
#include <vector>

#include <warpfold/reduce_by_key.hpp>

struct key {
  int number;
};

std::size_t call(const std::vector<key>& keys, std::vector<key>& keys_out, std::vector<int>& out) {
  return warpfold::run_lengths(warpfold::seq, keys, keys_out, out);
}
