// Views that tell of their memory: the emulation takes a load from elsewhere for an error, and of
// views that do not tell for nothing.
// needs: boost_context
#include <warpfold/policy/emulated.hpp>

#include "contract/policy_contract.hpp"

namespace {

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

TEST_CASE("of a view that does not say that it tells of its memory nothing is known") {
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
