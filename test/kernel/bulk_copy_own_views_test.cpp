// bulk_copy on views of a user's own that name the chunk of their array: chunks that start at no
// word, and chunks of another size than the array's.
// needs: boost_context
#include <warpfold/kernel/bulk_copy.hpp>

#include <doctest/doctest.h>

#include <vector>

#include <warpfold/policy/emulated.hpp>
#include <warpfold/reduce.hpp>

namespace wf = warpfold;

namespace {

template <int Size>
class chunks_anywhere {
 public:
  using value_type = float;
  using array_chunk = wf::chunk<float, 4>;
  using chunk_type = wf::chunk<float, Size>;
  static constexpr int chunk_size = Size;

  chunks_anywhere(const float* data, std::size_t size) : data_(data), size_(size) {}

  std::size_t size() const { return size_; }
  float operator[](std::size_t i) const { return data_[i]; }
  std::size_t head() const { return wf::any_head; }
  template <class Loads>
  float at(std::size_t i, const Loads& loads) const {
    return loads.load(data_ + i);
  }
  template <class Loads>
  void load(chunk_type& c, std::size_t i, const Loads& loads) const {
    for (std::size_t k = 0; k < Size; ++k) c.elements[k] = loads.load(data_ + i + k);
  }
  template <class Loads>
  void load_anywhere(chunk_type& c, std::size_t i, const Loads& loads) const {
    load(c, i, loads);
  }
  float get(const chunk_type& c, int k) const { return c.elements[k]; }
  template <class Visitor>
  void visit_memory(Visitor&& visit) const {
    visit(static_cast<const void*>(data_), size_ * sizeof(float), alignof(float));
  }

 private:
  const float* data_;
  std::size_t size_;
};

template <int Size>
void check_sums() {
  std::vector<float> values(400);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 7);
  for (std::size_t offset = 0; offset < 5; ++offset) {
    for (const std::size_t n :
         {std::size_t{0}, std::size_t{3}, std::size_t{64}, std::size_t{301}}) {
      INFO("chunks of ", Size, ", ", n, " elements at ", offset);
      const chunks_anywhere<Size> view(values.data() + offset, n);
      float sum = 0;
      for (std::size_t i = 0; i < n; ++i) sum += view[i];
      CHECK(wf::reduce(wf::emulated.with_kernel(wf::kernel::bulk_copy{}), view) == sum);
    }
  }
}

}  // namespace

TEST_CASE("chunks of the array's size") { check_sums<4>(); }
TEST_CASE("larger chunks") { check_sums<8>(); }
TEST_CASE("smaller chunks") {
  check_sums<1>();
  check_sums<2>();
}
