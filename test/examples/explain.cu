// explain: what a call would do, to print and to read.
#include <iostream>
#include <vector>

#include <warpfold/explain.hpp>

namespace wf = warpfold;

int main() try {
  const std::vector<float> host(1 << 20, 1.0f);
  std::cout << wf::explain(wf::seq, host, wf::plus{});

  const wf::device_buffer<float> v(host);
  const wf::plan p = wf::explain(wf::device, v, wf::maximum{});
  std::cout << p;
  const bool sensible = p.bytes == host.size() * sizeof(float) && p.registers > 0 &&
                        p.grid.count() > 1 && p.load_bytes == 16 && p.occupancy > 0 &&
                        p.expected_time > 0;
  return sensible ? 0 : 1;
} catch (const wf::no_device& e) {
  std::cerr << e.what() << '\n';
  return 77;
}
