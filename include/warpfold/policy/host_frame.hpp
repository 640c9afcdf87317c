/// @file
/// The frames that ranks exchange on hosts: who makes which call, with how many elements, and what
/// they fold to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <typeinfo>
#include <vector>

#include <warpfold/core/config.hpp>

namespace warpfold::detail {

// What each rank sends in the first one or two exchanges of a call. It has the same size for all
// calls, so that ranks that make different calls find out.
struct host_frame {
  static constexpr std::size_t most_state_bytes = 96;

  std::uint64_t call;  // the types of the call
  std::uint64_t init;  // the bytes of the init, where they are comparable
  std::uint64_t count;
  std::uint32_t failed;
  std::uint16_t has_nodes;   // of the declared order
  std::uint16_t node_count;  // their number, if the frame has them instead of a state
  unsigned char state[most_state_bytes];
};
static_assert(sizeof(host_frame) == 128);

// The frames of all ranks. Few are not allocated: a rank without memory must still take part.
class gathered_frames {
 public:
  explicit gathered_frames(std::size_t ranks) : size_(ranks), many_(ranks <= few ? 0 : ranks) {}

  std::size_t size() const { return size_; }
  host_frame* data() { return size_ <= few ? few_ : many_.data(); }
  const host_frame* data() const { return size_ <= few ? few_ : many_.data(); }
  host_frame& operator[](std::size_t i) { return data()[i]; }
  const host_frame& operator[](std::size_t i) const { return data()[i]; }
  const host_frame* begin() const { return data(); }
  const host_frame* end() const { return data() + size_; }

 private:
  static constexpr std::size_t few = 64;

  std::size_t size_;
  host_frame few_[few];
  std::vector<host_frame> many_;
};

// FNV-1a.
constexpr std::uint64_t hash_of(const unsigned char* bytes, std::size_t n,
                                std::uint64_t h = 0xcbf29ce484222325) {
  for (std::size_t i = 0; i < n; ++i) h = (h ^ bytes[i]) * 0x100000001b3;
  return h;
}

// The types of a call. Their names are the same on every rank with the same compiler. The name of a
// function with these types is used only without typeid: GCC writes all lambdas of one function
// alike there.
template <class... Types>
struct call_types {};
template <class View, class Op, class State, class Result>
const char* call_text() {
#if defined(__cpp_rtti)
  return typeid(call_types<View, Op, State, Result>).name();
#else
  return __PRETTY_FUNCTION__;
#endif
}
// @param places of a rank's elements in the whole: 0 if it names none, 1 if the index of its first
//     element, 2 if also the size of the whole
inline std::uint64_t call_hash(const char* text, std::size_t state_bytes, std::uint64_t places) {
  const auto* const bytes = reinterpret_cast<const unsigned char*>(text);
  const std::uint64_t start = hash_of(bytes, std::strlen(text));
  const std::uint64_t rest[] = {state_bytes, places, WARPFOLD_VERSION_MAJOR,
                                WARPFOLD_VERSION_MINOR};
  return hash_of(reinterpret_cast<const unsigned char*>(rest), sizeof rest, start);
}

// The hash of the bytes of an init, or 0 if equal inits may have different bytes.
template <class A>
std::uint64_t init_hash(const A& init) {
  if constexpr (std::has_unique_object_representations_v<A> || std::is_same_v<A, float> ||
                std::is_same_v<A, double>) {
    return hash_of(reinterpret_cast<const unsigned char*>(&init), sizeof init);
  } else {
    return 0;
  }
}

template <class T>
T from_bytes(const unsigned char* bytes) {
  struct {
    alignas(T) unsigned char of[sizeof(T)];
  } copy;
  std::memcpy(copy.of, bytes, sizeof(T));
  return __builtin_bit_cast(T, copy);
}

}  // namespace warpfold::detail
