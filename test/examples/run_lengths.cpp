// Run-length encoding of a picture, and decoding.
#include <cstddef>
#include <iostream>
#include <numeric>
#include <string>
#include <vector>

#include <warpfold/reduce_by_key.hpp>
#include <warpfold/transform_segments.hpp>

namespace wf = warpfold;

int main() {
  const std::string picture =
      "....####...."
      "..########.."
      "............";

  // There are at most as many runs as elements.
  std::vector<char> keys(picture.size());
  std::vector<int> lengths(picture.size());
  const std::size_t runs = wf::run_lengths(wf::seq, picture, keys, lengths);
  for (std::size_t r = 0; r < runs; ++r) std::cout << lengths[r] << keys[r];
  std::cout << '\n';

  // A run is a segment: run r is from offsets[r] up to offsets[r + 1].
  std::vector<int> offsets(runs + 1);
  std::inclusive_scan(lengths.begin(), lengths.begin() + static_cast<std::ptrdiff_t>(runs),
                      offsets.begin() + 1);
  // transform_segments writes a function of the index of each element and of the value of its
  // segment. The index needs no memory.
  std::string decoded(static_cast<std::size_t>(offsets.back()), ' ');
  keys.resize(runs);
  wf::transform_segments(wf::seq, wf::counting(0, offsets.back()), offsets, keys, decoded,
                         [](int, char key) { return key; });

  return runs == 5 && lengths[3] == 8 && keys[3] == '#' && decoded == picture ? 0 : 1;
}
