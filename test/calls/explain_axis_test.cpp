// The plans of folds along an axis with host policies.
// needs: tbb cccl
#include <warpfold/policy/par.hpp>

#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <cuda/std/array>
#include <cuda/std/mdspan>

#include <oneapi/tbb/task_arena.h>

#include <warpfold/explain_axis.hpp>

namespace wf = warpfold;
namespace cs = cuda::std;

namespace {

using matrix = cs::mdspan<const float, cs::dextents<std::size_t, 2>>;

/// A matrix whose elements cannot be read: a plan that reads one ends the test.
matrix unreadable(std::size_t rows, std::size_t columns) {
  return matrix(reinterpret_cast<const float*>(std::uintptr_t{1} << 40), rows, columns);
}

std::string text_of(const wf::plan& p) {
  std::ostringstream text;
  text << p;
  return text.str();
}

}  // namespace

TEST_CASE("the plan of a fold along an axis: bytes, and the time that they take") {
  const matrix m = unreadable(1000, 24);
  const wf::plan rows = wf::explain_axis<1>(wf::seq, m, wf::plus{});
  CHECK(rows.policy == "seq");
  CHECK(rows.kernel == "rows");
  CHECK(rows.elements == 24000);
  CHECK(rows.bytes == 96000);
  CHECK(rows.bytes_written == 4000);
  CHECK(rows.threads == 1);
  CHECK(rows.launches == 0);
  CHECK(rows.block == 0u);
  CHECK_FALSE(rows.on_gpu);

  // In nanoseconds: the time for an element is the same in both plans; the rest is the time for
  // bytes.
  const wf::plan few = wf::explain_axis<1>(wf::seq, unreadable(2, 24), wf::plus{});
  const auto data = [](const wf::plan& p) {
    return 1e9 * static_cast<double>(p.bytes + p.bytes_written) / p.bandwidth;
  };
  CHECK(rows.bandwidth > 0);
  CHECK(1e9 * rows.expected_time > data(rows));
  CHECK(1e9 * (rows.expected_time - few.expected_time) ==
        doctest::Approx(data(rows) - data(few)).epsilon(1e-6));

  const wf::plan columns = wf::explain_axis<0>(wf::seq, m, wf::plus{});
  CHECK(columns.kernel == "columns");
  CHECK(columns.bytes_written == 96);
  // The result of an op with finish().
  CHECK(wf::explain_axis<0>(wf::seq, m, wf::moments_op{}).bytes_written ==
        24 * sizeof(wf::moments));
  CHECK(wf::explain_axis<1>(wf::seq, m, wf::arg(wf::maximum{})).bytes_written ==
        1000 * sizeof(wf::indexed<float>));
  CHECK(wf::explain_axis<1>(wf::seq, m, wf::plus{}.compensated()).bytes_written == 4000);

  const std::string text = text_of(rows);
  CHECK(text.find("kernel rows") != std::string::npos);
  CHECK(text.find("bytes written             4 KB") != std::string::npos);
  CHECK(text.find("expected time") != std::string::npos);
  CHECK(text.find("grid") == std::string::npos);
  CHECK(text_of(wf::explain(wf::seq, std::vector<float>(3))).find("written") == std::string::npos);

  // The state of the stream does not change.
  std::ostringstream stream;
  stream.width(6);
  stream << std::right << rows;
  stream.width(6);
  stream << 5;
  CHECK(stream.str().ends_with("     5"));
}

TEST_CASE("the plan of host threads: who takes rows, columns, or pieces of them") {
  const auto of = [](const auto& plan, const char* kernel, bool alone) {
    CHECK(plan.kernel == kernel);
    CHECK(plan.threads == (alone ? 1 : oneapi::tbb::this_task_arena::max_concurrency()));
  };
  const auto rows = [](std::size_t n, std::size_t length) {
    return wf::explain_axis<1>(wf::par, unreadable(n, length), wf::plus{});
  };
  const auto columns = [](std::size_t length, std::size_t n) {
    return wf::explain_axis<0>(wf::par, unreadable(length, n), wf::plus{});
  };
  of(rows(100, 100), "rows", true);
  of(rows(1000, 100), "rows on threads", false);
  of(rows(300, 100000), "rows on threads", false);
  of(rows(2, 16384), "rows on threads", false);
  of(rows(2, 32768), "rows in pieces on threads", false);
  of(rows(1, 16384), "rows", true);
  of(columns(3, 100), "columns", true);
  of(columns(8, 100000), "columns on threads", false);
  of(columns(50, 100000), "columns on threads", false);
  of(columns(1000, 3000), "columns in pieces on threads", false);
  of(rows(0, 5), "none", true);
}

TEST_CASE_TEMPLATE("the plan of what reduce_axis refuses", Policy, wf::seq_policy, wf::par_policy) {
  const auto explained = [](const auto& in, const auto& op) {
    return wf::explain_axis<0>(Policy{}, in, op);
  };
  constexpr std::size_t huge = std::size_t{1} << 33;
  CHECK_THROWS_AS(explained(unreadable(huge, huge), wf::plus{}), wf::invalid_range);
  CHECK_THROWS_AS(explained(matrix(nullptr, 4, 8), wf::plus{}), wf::invalid_range);
  const auto none = [](float a, float b) { return a + b; };
  CHECK_THROWS_AS(explained(unreadable(0, 5), none), wf::empty_range);
  CHECK(explained(unreadable(0, 5), wf::plus{}).bytes_written == 20);
  CHECK(explained(matrix(nullptr, 5, 0), none).kernel == "none");

  // The same elements repeated, with more results than fit into any memory.
  using strided = cs::mdspan<const signed char, cs::dextents<std::size_t, 2>, cs::layout_stride>;
  const auto repeated = [](std::size_t n) {
    return strided(
        reinterpret_cast<const signed char*>(std::uintptr_t{1} << 40),
        strided::mapping_type{cs::dextents<std::size_t, 2>(1, n), cs::array<std::size_t, 2>{1, 0}});
  };
  CHECK(explained(repeated(1000), wf::plus{}).bytes_written == 1000 * sizeof(long long));
  CHECK_THROWS_AS(explained(repeated(std::size_t{1} << 61), wf::plus{}), wf::invalid_range);
}

TEST_CASE("the plan of an expression of several arrays, without reading them") {
  const matrix m = unreadable(1000, 24);
  const std::vector<float> v(24);
  const auto products = wf::project(wf::zip(m, m, wf::broadcast<1>(v)),
                                    [](float x, float y, float z) { return x * y * z; });
  const wf::plan rows = wf::explain_axis<1>(wf::seq, products, wf::plus{});
  CHECK(rows.kernel == "rows");
  CHECK(rows.elements == 24000);
  CHECK(rows.bytes == 2 * 96000 + 96);
  CHECK(rows.bytes_written == 4000);
  CHECK(wf::explain_axis<0>(wf::par, products, wf::plus{}).kernel == "columns");
}
