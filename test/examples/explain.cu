// explain: the plan of a call, as text and as members.
#include <iostream>
#include <vector>

#include <cuda/std/mdspan>

#include <warpfold/explain.hpp>
#include <warpfold/explain_axis.hpp>
#include <warpfold/runtime/buffer.hpp>

namespace wf = warpfold;
namespace cs = cuda::std;

int main() try {
  const std::vector<float> host(1 << 20, 1.0f);
  std::cout << wf::explain(wf::seq, host, wf::plus{});

  const wf::device_buffer<float> v(host);
  const wf::plan p = wf::explain(wf::device, v, wf::maximum{});
  std::cout << p;

  // The plan for folding each column of a matrix to one value.
  const cs::mdspan<const float, cs::dextents<int, 2>> m(v.data(), 1 << 16, 16);
  const wf::plan columns = wf::explain_axis<0>(wf::device, m, wf::maximum{});
  std::cout << columns;

  bool sensible = columns.launches == 2 && columns.bytes_written == 16 * sizeof(float);
  for (const wf::plan& one : {p, columns}) {
    sensible = sensible && one.bytes == host.size() * sizeof(float) && one.registers > 0 &&
               one.grid.count() > 1 && one.load_bytes == 16 && one.occupancy > 0 &&
               one.expected_time > 0;
  }
  return sensible ? 0 : 1;
} catch (const wf::no_device& e) {
  std::cerr << e.what() << '\n';
  return 77;
}
