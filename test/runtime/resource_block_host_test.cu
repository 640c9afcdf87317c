// resource_block with memory from a resource: it makes no CUDA call, so no GPU is needed.
#include <warpfold/runtime/resource_block.hpp>

#include <doctest/doctest.h>

#include <new>

namespace {

namespace runtime = warpfold::runtime;

char stream_place, memory_place;
cudaStream_t some_stream() { return reinterpret_cast<cudaStream_t>(&stream_place); }

/// Gives one piece of memory, which it expects back with the same size and stream.
struct counting_resource {
  int given = 0, taken = 0;
  bool is_exhausted = false;

  void* allocate_async(std::size_t bytes, std::size_t, cudaStream_t stream) {
    if (is_exhausted) throw std::bad_alloc();
    CHECK(bytes == 5000);
    CHECK(stream == some_stream());
    ++given;
    return &memory_place;
  }
  void deallocate_async(void* p, std::size_t bytes, std::size_t, cudaStream_t stream) {
    CHECK(p == &memory_place);
    CHECK(bytes == 5000);
    CHECK(stream == some_stream());
    ++taken;
  }
};

}  // namespace

static_assert(!std::is_copy_constructible_v<runtime::resource_block>);

TEST_CASE("memory is taken from the resource, and given back at the end of the block") {
  counting_resource resource;
  {
    const runtime::resource_block block(runtime::resource_ref(resource), 5000, some_stream());
    CHECK(block.data() == &memory_place);
    CHECK(resource.given == 1);
    CHECK(resource.taken == 0);
  }
  CHECK(resource.given == 1);
  CHECK(resource.taken == 1);
}

TEST_CASE("a failed allocation frees nothing") {
  counting_resource resource;
  resource.is_exhausted = true;
  CHECK_THROWS_AS(runtime::resource_block(runtime::resource_ref(resource), 5000, some_stream()),
                  std::bad_alloc);
  CHECK(resource.taken == 0);
}
