// The allocator through which Thrust takes its scratch from a user's resource.
#include <warpfold/policy/thrust.hpp>

#include <vector>

#include <doctest/doctest.h>

namespace wf = warpfold;

namespace {

// A resource of host memory that records its calls.
struct recording {
  struct call {
    const void* p;
    std::size_t bytes;
    wf::runtime::stream_handle stream;

    friend bool operator==(const call&, const call&) = default;
  };
  std::vector<call> given, taken;
  alignas(256) unsigned char memory[256];

  void* allocate_async(std::size_t bytes, std::size_t, wf::runtime::stream_handle stream) {
    given.push_back({memory, bytes, stream});
    return memory;
  }
  void deallocate_async(void* p, std::size_t bytes, std::size_t,
                        wf::runtime::stream_handle stream) {
    taken.push_back({p, bytes, stream});
  }
};

}  // namespace

TEST_CASE("Thrust's scratch comes from the resource and goes back to it, on the policy's stream") {
  recording own;
  int somewhere = 0;
  const auto stream = reinterpret_cast<wf::runtime::stream_handle>(&somewhere);
  const wf::baseline::resource_allocator memory{wf::runtime::resource_ref(own), stream};
  char* const p = memory.allocate(100);
  CHECK(p == reinterpret_cast<char*>(own.memory));
  memory.deallocate(p, 100);
  CHECK(own.given == std::vector<recording::call>{{own.memory, 100, stream}});
  CHECK(own.taken == own.given);
}
