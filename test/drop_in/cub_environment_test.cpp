// The last argument of CUB's calls: streams of any kind and, with CCCL 3.1 or later, execution
// environments. What does not compile is tested in compile/cub_cases.cu.
// needs: cccl
#include <warpfold/drop_in/cub_environment.hpp>

#include <cstdint>

#include <doctest/doctest.h>

#include <cuda/stream_ref>

namespace wf = warpfold;

namespace {

using namespace wf::detail::cub_calls;

const auto some_stream = reinterpret_cast<cudaStream_t>(std::uintptr_t{0x1230});

struct rmm_stream {
  cudaStream_t value() const { return some_stream; }
};

/// Stands for a GPU policy; records what it is given.
template <class Resource = void>
struct recorded {
  wf::runtime::stream_handle stream = nullptr;
  Resource* resource = nullptr;

  recorded on(wf::runtime::stream_handle s) const { return {s, resource}; }
  template <class R>
  recorded<R> with(R& r) const {
    return {stream, &r};
  }
};

static_assert(check_environment<no_environment, false>());
static_assert(check_environment<cudaStream_t, false>());
static_assert(check_environment<cuda::stream_ref, false>());
static_assert(check_environment<int, false>());
static_assert(!is_environment<cuda::stream_ref> && !is_environment<std::nullptr_t>);

}  // namespace

TEST_CASE("a stream of any kind, or 0, or none") {
  CHECK(stream_of(no_environment{}) == nullptr);
  CHECK(stream_of(0) == nullptr);
  CHECK(stream_of(nullptr) == nullptr);
  CHECK(stream_of(some_stream) == some_stream);
  CHECK(stream_of(cuda::stream_ref(some_stream)) == some_stream);
  CHECK(stream_of(rmm_stream{}) == some_stream);
  CHECK_THROWS_WITH_AS(stream_of(1),
                       "warpfold: 1 is not a stream; pass a cudaStream_t or an environment",
                       wf::invalid_argument);

  with_environment(recorded<>{}, some_stream,
                   [](const recorded<>& p) { CHECK(p.stream == some_stream); });
}

#if defined(WARPFOLD_HAS_ENVIRONMENTS)

namespace {

namespace stde = cuda::std::execution;
namespace determinism = cuda::execution::determinism;

/// A resource with an identity that is a number, so that a copy is the same resource.
struct numbered {
  int number;

  void* allocate(cuda::stream_ref, std::size_t, std::size_t) { return nullptr; }
  void deallocate(cuda::stream_ref, void*, std::size_t, std::size_t) noexcept {}
  void* allocate_sync(std::size_t, std::size_t) { return nullptr; }
  void deallocate_sync(void*, std::size_t, std::size_t) noexcept {}
  friend bool operator==(const numbered& a, const numbered& b) { return a.number == b.number; }
  friend bool operator!=(const numbered& a, const numbered& b) { return !(a == b); }
  friend void get_property(const numbered&, cuda::mr::device_accessible) {}
};

template <class... Part>
auto environment(const Part&... part) {
  return stde::env{part...};
}
const auto on_stream = stde::prop{cuda::get_stream_t{}, cuda::stream_ref(some_stream)};
const auto with_memory = stde::prop{cuda::mr::get_memory_resource_t{}, numbered{7}};

template <class Env, bool Exact>
inline constexpr bool offered = check_environment<Env, Exact>();

using nothing = stde::env<>;
using gpu_to_gpu = decltype(cuda::execution::require(determinism::gpu_to_gpu));
using run_to_run = decltype(cuda::execution::require(determinism::run_to_run));
using any_order = decltype(cuda::execution::require(determinism::not_guaranteed));

static_assert(offered<nothing, false>);
static_assert(offered<run_to_run, false> && offered<any_order, false>);
static_assert(offered<gpu_to_gpu, true>);
static_assert(offered<decltype(environment(on_stream, with_memory)), false>);
static_assert(requires_gpu_to_gpu<requirements<gpu_to_gpu>::type>);
static_assert(!requires_gpu_to_gpu<requirements<run_to_run>::type>);
static_assert(std::is_void_v<requirements<nothing>::type>);

}  // namespace

TEST_CASE("the stream and the memory resource of an environment, in any order") {
  CHECK(stream_of(nothing{}) == nullptr);
  CHECK(stream_of(on_stream) == some_stream);
  CHECK(stream_of(environment(cuda::execution::require(determinism::run_to_run), on_stream)) ==
        some_stream);
  const auto check = [](const recorded<numbered>& p) {
    CHECK(p.stream == some_stream);
    REQUIRE(p.resource != nullptr);
    CHECK(p.resource->number == 7);
  };
  with_environment(recorded<>{}, environment(on_stream, with_memory), check);
  with_environment(recorded<>{}, environment(with_memory, on_stream), check);
  with_environment(recorded<>{}, on_stream,
                   [](const recorded<>& p) { CHECK(p.stream == some_stream); });
}

#endif
