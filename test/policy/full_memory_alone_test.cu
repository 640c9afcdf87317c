// wf::device on a GPU whose memory is full. No other test may run at the same time.
#include "contract/device_memory.hpp"
#include "contract/policy_contract.hpp"

TEST_CASE("[fault] no memory for scratch is out_of_memory, and the next call works") {
  const wf::device_buffer<int> good(std::vector<int>{1, 2, 3});
  const test::own_stream stream;
  wf::device_buffer<long long> out(1);
  {
    std::vector<void*> everything;
    for (std::size_t bytes = std::size_t{1} << 36; bytes >= 512; bytes /= 2) {
      void* p = nullptr;
      while (cudaMalloc(&p, bytes) == cudaSuccess) everything.push_back(p);
      (void)cudaGetLastError();
    }
    test::check_throws<wf::out_of_memory>([] { wf::workspace w; }, "workspace");
    for (void* p : everything) (void)cudaFree(p);
  }
  CHECK(wf::reduce(wf::device.on(stream.get()), good) == 6);
  wf::reduce_async(wf::device.on(stream.get()), good, wf::plus{}, out.data());
  stream.wait();
  CHECK(out.to_host()[0] == 6);
  CHECK(cudaGetLastError() == cudaSuccess);
}
