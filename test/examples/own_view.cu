// A user's view: every second element, loaded one at a time.
#include <iostream>
#include <numeric>
#include <vector>

#include <warpfold/reduce.hpp>
#include <warpfold/runtime/buffer.hpp>

namespace wf = warpfold;

class every_second : public wf::element_loads<every_second, int> {
 public:
  every_second(const int* data, std::size_t size) : data_(data), size_(size) {}

  WARPFOLD_HD std::size_t size() const { return (size_ + 1) / 2; }
  WARPFOLD_HD int operator[](std::size_t i) const { return data_[2 * i]; }

  template <class Visitor>
  void visit_memory(Visitor&& visit) const {
    visit(static_cast<const void*>(data_), size_ * sizeof(int), alignof(int));
  }

 private:
  const int* data_;
  std::size_t size_;
};
static_assert(wf::view<every_second>);

int main() try {
  std::vector<int> host(1001);
  std::iota(host.begin(), host.end(), 0);
  const long long here = wf::reduce(wf::seq, every_second(host.data(), host.size()), wf::plus{});

  const wf::device_buffer<int> v(host);
  const long long there = wf::reduce(wf::device, every_second(v.data(), v.size()), wf::plus{});

  std::cout << here << ' ' << there << '\n';
  return here == 250500 && there == here ? 0 : 1;
} catch (const wf::no_device& e) {
  std::cerr << e.what() << '\n';
  return 77;
}
