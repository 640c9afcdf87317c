// stream_like: the stream types of CUDA, libcu++ and RMM, and how the handle is taken from each.
#include <warpfold/runtime/stream.hpp>

#include <doctest/doctest.h>

namespace {

namespace runtime = warpfold::runtime;
using runtime::stream_handle;

char place;
stream_handle some_stream() { return reinterpret_cast<stream_handle>(&place); }

/// As cuda::stream_ref.
struct has_get {
  stream_handle handle;
  stream_handle get() const { return handle; }
};
/// As rmm::cuda_stream_view, which converts too.
struct has_value {
  stream_handle handle;
  stream_handle value() const { return handle; }
};
struct converts {
  stream_handle handle;
  operator stream_handle() const { return handle; }
  stream_handle value() const { return nullptr; }  // is not asked
};
struct has_number {
  int value() const { return 3; }
};
struct not_const {
  stream_handle get() { return nullptr; }
};

}  // namespace

static_assert(runtime::stream_like<stream_handle>);
static_assert(runtime::stream_like<has_get>);
static_assert(runtime::stream_like<has_value>);
static_assert(runtime::stream_like<converts>);
static_assert(runtime::stream_like<std::nullptr_t>);  // the default stream
static_assert(!runtime::stream_like<has_number>);
static_assert(!runtime::stream_like<not_const>);
static_assert(!runtime::stream_like<int>);
static_assert(!runtime::stream_like<void*>);

TEST_CASE("the handle is the one that the object has") {
  CHECK(runtime::handle_of(some_stream()) == some_stream());
  CHECK(runtime::handle_of(has_get{some_stream()}) == some_stream());
  CHECK(runtime::handle_of(has_value{some_stream()}) == some_stream());
  CHECK(runtime::handle_of(converts{some_stream()}) == some_stream());
  CHECK(runtime::handle_of(nullptr) == nullptr);
}
