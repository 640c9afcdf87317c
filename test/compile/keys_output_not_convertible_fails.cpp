// An output that cannot hold keys.
// expect: do not convert to the output
#include <vector>

#include <warpfold/reduce_by_key.hpp>

struct key {
  int number;
  bool operator==(const key&) const = default;
};

std::size_t call(const std::vector<key>& keys, std::vector<int>& keys_out, std::vector<int>& out) {
  return warpfold::run_lengths(warpfold::seq, keys, keys_out, out);
}
