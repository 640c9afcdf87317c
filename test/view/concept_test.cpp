// The concept of a view, and what the library asks views: their memory, which the emulation checks
// loads against, their chunks, and their optional members.
// needs: boost_context
#include <warpfold/view/concept.hpp>

#include <warpfold/policy/emulated.hpp>
#include <warpfold/view/aligned.hpp>
#include <warpfold/view/counted.hpp>
#include <warpfold/view/field.hpp>
#include <warpfold/view/part.hpp>
#include <warpfold/view/reverse.hpp>
#include <warpfold/view/staged.hpp>
#include <warpfold/view/strided.hpp>
#include <warpfold/view/where.hpp>
#include <warpfold/view/wide.hpp>

#include "contract/policy_contract.hpp"

namespace {

// The library's views and outputs. Here, not in their headers, so that no program compiles this.
struct with_member {
  float x;
};
using floats = wf::contiguous_view<float>;
static_assert(wf::view<floats> && wf::view<wf::strided_view<float>> &&
              wf::view<wf::every_step_view<wf::strided_view<float>>> &&
              wf::view<wf::mdspan_view<float, 3>> && wf::view<wf::aligned_view<wf::word, 8>> &&
              wf::view<wf::wide_view<float>> && wf::view<wf::counting_view<int>> &&
              wf::view<wf::field_view<with_member, &with_member::x>>);
static_assert(wf::view<wf::counted_view<floats, unsigned>> && wf::view<wf::reverse_view<floats>> &&
              wf::view<wf::staged_view<floats>> && wf::view<wf::staged_range<float>> &&
              wf::view<wf::transform_view<floats, float (*)(float)>> &&
              wf::view<wf::masked_view<floats, std::uint32_t>> &&
              wf::view<wf::detail::part_view<floats>>);
static_assert(wf::output_view<wf::contiguous_output<float>> &&
              wf::output_view<wf::strided_output<float>> &&
              wf::output_view<wf::staged_range<float>>);

/// Four numbers, of which it tells three.
template <bool Tells>
class one_too_many : public wf::element_loads<one_too_many<Tells>, int> {
 public:
  static constexpr bool tells_memory = Tells;

  explicit one_too_many(const int* data) : data_(data) {}
  std::size_t size() const { return 4; }
  const int& operator[](std::size_t i) const { return data_[i]; }
  template <class Visitor>
  void visit_memory(Visitor&& visit) const {
    visit(static_cast<const void*>(data_), 3 * sizeof(int), alignof(int));
  }

 private:
  const int* data_;
};

template <class View>
void check_refused(const View& view) {
  static_assert(wf::tells_memory_v<View>);
  test::check_throws<wf::emulation_error>([&] { (void)wf::reduce(wf::emulated, view, wf::plus{}); },
                                          "");
}

}  // namespace

TEST_CASE("a load from where a view does not tell of memory is an error") {
  const std::vector<int> v = {1, 2, 3, 4};
  check_refused(one_too_many<true>(v.data()));
  check_refused(wf::project(one_too_many<true>(v.data()), test::square{}));
  const std::vector<int> other = v;
  check_refused(wf::project(wf::zip(one_too_many<true>(v.data()), other), test::product_of_pair{}));
}

TEST_CASE("a view without tells_memory may load from any address") {
  const std::vector<int> v = {1, 2, 3, 4};
  const one_too_many<false> view(v.data());
  static_assert(!wf::tells_memory_v<one_too_many<false>>);
  static_assert(!wf::tells_memory_v<wf::iterator_view<std::vector<int>::const_reverse_iterator>>);
  CHECK(wf::reduce(wf::emulated, view) == 10);
  CHECK(wf::reduce(wf::emulated, wf::project(view, test::square{}), wf::plus{}) == 30);
  // Of several side by side all must.
  const auto both = wf::zip(v, view);
  static_assert(!wf::tells_memory_v<decltype(both)>);
  CHECK(wf::reduce(wf::emulated, wf::project(both, test::product_of_pair{}), wf::plus{}) == 30);
}

TEST_CASE("what a kernel loads: the memory that a view tells of, or else its chunks") {
  const std::vector<int> a(10);
  CHECK(wf::loaded_bytes(wf::as_view(a)) == 40);
  CHECK(wf::loaded_bytes(wf::contiguous_view<const char>("a", 1)) == 1);
  const auto numbers = [](std::size_t n) { return wf::loaded_bytes(wf::counting(0, n)); };
  using counted = decltype(wf::counting(0, 1));
  constexpr std::size_t size = counted::chunk_size, bytes = sizeof(counted::chunk_type);
  CHECK(numbers(0) == 0);
  CHECK(numbers(1) == bytes);
  CHECK(numbers(size) == bytes);
  CHECK(numbers(size + 1) == 2 * bytes);
  CHECK(numbers(10 * size) == 10 * bytes);
}

TEST_CASE("views tell of every array that they read") {
  const std::vector<int> a = {1, 2, 3};
  const std::vector<double> b = {0.5, 1.5, 2.5};
  std::vector<const void*> seen;
  std::size_t total = 0;
  const auto view =
      wf::project(wf::zip(a, wf::zip(b, wf::counting(0, 3))), [](const auto&) { return 1; });
  view.visit_memory([&](const void* p, std::size_t bytes, std::size_t alignment) {
    seen.push_back(p);
    total += bytes;
    CHECK((alignment == alignof(int) || alignment == alignof(double)));
  });
  CHECK(seen == std::vector<const void*>{a.data(), b.data()});
  CHECK(total == 3 * sizeof(int) + 3 * sizeof(double));
  CHECK(wf::bytes_of(view) == total);
}

namespace {

/// The least that a view has, with one chunk size or another.
template <int Size>
struct least_view {
  using value_type = int;
  static constexpr int chunk_size = Size;
  using chunk_type = wf::chunk<int, Size>;
  std::size_t size() const { return 0; }
  int operator[](std::size_t) const { return 0; }
  std::size_t head() const { return at_head; }
  template <class Loads>
  void load(chunk_type&, std::size_t, const Loads&) const {}
  template <class Loads>
  void load_anywhere(chunk_type&, std::size_t, const Loads&) const {}
  template <class Loads>
  int at(std::size_t, const Loads&) const {
    return 0;
  }
  int get(const chunk_type&, int) const { return 0; }
  template <class F>
  void visit_memory(F&&) const {}

  std::size_t at_head = 0;
};
struct without_memory : least_view<4> {
  template <class F>
  void visit_memory(F&&) = delete;
};
struct without_size : least_view<4> {
  void size() const {}
};
struct with_members : least_view<4> {
  static constexpr int arrays = 3;
  static constexpr std::size_t array_bytes = 20;
  static constexpr bool computes_elements = false;
  static constexpr bool prefers_staging = true;
  static constexpr std::size_t widest_load(int architecture) {
    return architecture >= 100 ? 32 : 16;
  }
};
struct of_one_array : least_view<4> {
  using array_chunk = wf::chunk<double, 2>;
};

/// As long as it says, with a head where it says.
struct long_view : least_view<8> {
  std::size_t elements;
  std::size_t size() const { return elements; }
};
wf::partition parts(std::size_t elements, std::size_t head) {
  long_view view;
  view.elements = elements;
  view.at_head = head;
  return wf::partition_of(view);
}

}  // namespace

static_assert(wf::view<least_view<1>> && wf::view<least_view<32>>);
static_assert(!wf::view<least_view<3>>);  // a warp could not load the rest one by one
static_assert(!wf::view<least_view<64>>);
static_assert(!wf::view<without_memory>);
static_assert(!wf::view<without_size>);
static_assert(!wf::view<std::vector<int>>);
static_assert(wf::view<one_too_many<true>>);

TEST_CASE("optional members: what they say, and what counts without them") {
  using none = least_view<4>;
  CHECK(wf::detail::arrays_of<none>() == 1);
  CHECK(wf::detail::array_bytes_of<none>() == 0);
  CHECK(wf::detail::computes_elements<none>());  // the safe answer: elements are guarded
  CHECK_FALSE(wf::detail::prefers_staging<none>());
  CHECK(wf::widest_load<none>(100) == wf::word_bytes);
  static_assert(std::is_void_v<wf::detail::array_chunk_of_t<none>>);
  static_assert(!wf::has_columns<none>);

  CHECK(wf::detail::arrays_of<with_members>() == 3);
  CHECK(wf::detail::array_bytes_of<with_members>() == 20);
  CHECK_FALSE(wf::detail::computes_elements<with_members>());
  CHECK(wf::detail::prefers_staging<with_members>());
  CHECK(wf::widest_load<with_members>(100) == 32);
  CHECK(wf::widest_load<with_members>(90) == 16);

  // The chunk of the array says how large its elements are.
  CHECK(wf::detail::array_bytes_of<of_one_array>() == sizeof(double));
  CHECK_FALSE(wf::detail::computes_elements<wf::contiguous_view<int>>());
}

TEST_CASE("head, chunks and tail") {
  const auto check = [](const wf::partition& p, std::size_t head, std::size_t chunks,
                        std::size_t tail) {
    CHECK(p.head == head);
    CHECK(p.chunks == chunks);
    CHECK(p.tail == tail);
  };
  check(parts(0, 0), 0, 0, 0);
  check(parts(16, 0), 0, 2, 0);
  check(parts(23, 0), 0, 2, 7);
  check(parts(23, 7), 7, 2, 0);
  check(parts(5, 7), 5, 0, 0);  // shorter than its head
  check(parts(17, wf::any_head), 0, 2, 1);
}
