// resource_ref: both spellings of stream-ordered allocation, with the arguments in their places.
#include <warpfold/runtime/resource.hpp>

#include <doctest/doctest.h>

#include <stdexcept>

namespace {

namespace runtime = warpfold::runtime;
using runtime::stream_handle;

char stream_place, memory_place;
stream_handle some_stream() { return reinterpret_cast<stream_handle>(&stream_place); }

struct call {
  void* p = nullptr;
  std::size_t bytes = 0;
  std::size_t alignment = 0;
  stream_handle stream = nullptr;
};

/// As CCCL 3.0 and RMM spell it.
struct async_resource {
  call allocated, freed;

  void* allocate_async(std::size_t bytes, std::size_t alignment, stream_handle s) {
    allocated = {&memory_place, bytes, alignment, s};
    return &memory_place;
  }
  void deallocate_async(void* p, std::size_t bytes, std::size_t alignment, stream_handle s) {
    freed = {p, bytes, alignment, s};
  }
};

/// As later CCCL spells it, beside functions that wait.
struct stream_resource {
  call allocated, freed;

  void* allocate(stream_handle s, std::size_t bytes, std::size_t alignment) {
    allocated = {&memory_place, bytes, alignment, s};
    return &memory_place;
  }
  void deallocate(stream_handle s, void* p, std::size_t bytes, std::size_t alignment) {
    freed = {p, bytes, alignment, s};
  }
  void* allocate_sync(std::size_t, std::size_t) { return nullptr; }
};

/// Only waits: its memory is not in stream order.
struct waits {
  void* allocate(std::size_t, std::size_t) { return nullptr; }
  void deallocate(void*, std::size_t, std::size_t) {}
};
struct never_frees {
  void* allocate_async(std::size_t, std::size_t, stream_handle) { return nullptr; }
};
struct is_empty : async_resource {
  void* allocate_async(std::size_t, std::size_t, stream_handle) {
    throw std::runtime_error("none left");
  }
};

template <class R>
void check_calls() {
  R resource;
  const runtime::resource_ref ref(resource);
  CHECK(ref);
  void* const p = ref.allocate(1000, some_stream());
  CHECK(p == &memory_place);
  CHECK(resource.allocated.bytes == 1000);
  CHECK(resource.allocated.alignment == 256);  // as cudaMalloc's memory
  CHECK(resource.allocated.stream == some_stream());
  ref.deallocate(p, 1000, some_stream());
  CHECK(resource.freed.p == p);
  CHECK(resource.freed.bytes == 1000);
  CHECK(resource.freed.alignment == 256);
  CHECK(resource.freed.stream == some_stream());
}

}  // namespace

static_assert(runtime::memory_resource<async_resource>);
static_assert(runtime::memory_resource<stream_resource>);
static_assert(!runtime::memory_resource<waits>);
static_assert(!runtime::memory_resource<never_frees>);
static_assert(!runtime::memory_resource<const async_resource>);

TEST_CASE("a reference calls the resource with the arguments that it was given") {
  check_calls<async_resource>();
  check_calls<stream_resource>();
}

TEST_CASE("an empty reference refers to nothing, and copies refer to the same") {
  CHECK_FALSE(runtime::resource_ref());
  async_resource resource;
  const runtime::resource_ref ref(resource);
  const runtime::resource_ref copy = ref;
  (void)copy.allocate(8, nullptr);
  CHECK(resource.allocated.bytes == 8);
}

TEST_CASE("what a resource throws reaches the caller") {
  is_empty resource;
  const runtime::resource_ref ref(resource);
  CHECK_THROWS_WITH_AS((void)ref.allocate(8, nullptr), "none left", std::runtime_error);
}
