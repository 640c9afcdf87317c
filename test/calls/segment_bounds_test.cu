// Wrong bounds of segments on the GPU: calls that wait name the first such segment, and leave
// streams, memory and workspaces usable.
#include <atomic>
#include <thread>

#include <warpfold/reduce_segments.hpp>
#include <warpfold/runtime/workspace.hpp>
#include <warpfold/view/counted.hpp>

#include "contract/device_memory.hpp"
#include "contract/resources.hpp"
#include "contract/segments_contract.hpp"

namespace {

constexpr std::size_t n = 60000;

/// Sums of segments of ten ones, of which one may be wrong.
struct tens {
  test::device_memory::array<float> ones{std::vector<float>(n, 1), 0};
  std::vector<int> right = [] {
    std::vector<int> all;
    for (int i = 0; i <= static_cast<int>(n); i += 10) all.push_back(i);
    return all;
  }();
  test::device_memory::array<int> good{right, 0};
  test::device_memory::array<int> bad{[this] {
                                        std::vector<int> all = right;
                                        all[4001] = 5;
                                        all[5000] = -1;
                                        return all;
                                      }(),
                                      0};
  std::size_t count = right.size() - 1;

  auto range() const { return std::span(ones.data(), n); }
  auto offsets(bool wrong) const { return std::span((wrong ? bad : good).data(), count + 1); }
  static constexpr const char* message =
      "segment 4000 begins at 40000 and ends at 5, but the range has 60000 elements";
};

/// True if wrong bounds throw and right ones give right sums, by turns.
template <class Policy>
bool tells(const Policy& policy, const tens& of) {
  const wf::device_buffer<float> out(of.count);
  const std::span<float> to(const_cast<float*>(out.data()), of.count);
  bool fine = true;
  for (int turn = 0; turn < 6; ++turn) {
    if (turn % 2 == 0) {
      fine &= test::fails_with<wf::invalid_range>(
          [&] { wf::reduce_segments(policy, of.range(), of.offsets(true), wf::plus{}, to); },
          tens::message);
    } else {
      wf::reduce_segments(policy, of.range(), of.offsets(false), wf::plus{}, to);
      fine &= test::device_memory::values(out.data(), of.count) == std::vector<float>(of.count, 10);
    }
  }
  return fine;
}

}  // namespace

TEST_CASE("streams, workspaces, resources, and a thread that sleeps") {
  const tens of;
  const test::own_stream stream;
  wf::workspace own;
  CHECK(tells(wf::device, of));
  CHECK(tells(wf::device.on(stream.get()), of));
  CHECK(tells(wf::device.blocking(), of));
  CHECK(tells(wf::device.with(own).on(stream.get()), of));
  test::pool memory;
  CHECK(tells(wf::device.with(memory).on(stream.get()), of));
  CHECK(memory.given == memory.taken);
  CHECK(cudaGetLastError() == cudaSuccess);
}

TEST_CASE("threads with a stream each") {
  const tens of;
  std::atomic<int> fine = 0;
  std::vector<std::thread> all;
  for (int t = 0; t < 8; ++t) {
    all.emplace_back([&] {
      const test::own_stream stream;
      bool told = true;
      for (int i = 0; i < 20; ++i) told &= tells(wf::device.on(stream.get()), of);
      fine += told;
    });
  }
  for (auto& t : all) t.join();
  CHECK(fine == 8);
}

TEST_CASE("calls that do not wait are not checked, and later calls are") {
  const tens of;
  wf::device_buffer<float> out(of.count);
  CHECK_NOTHROW(
      wf::reduce_segments_async(wf::device, of.range(), of.offsets(true), wf::plus{}, out));
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(tells(wf::device, of));
}

TEST_CASE("counts: segments behind the count are not checked; bounds may exceed that of elements") {
  const tens of;
  wf::device_buffer<float> out(of.count);
  const test::device_memory::array<int> before(std::vector<int>{4000}, 0),
      behind(std::vector<int>{4001}, 0), elements(std::vector<int>{300}, 0);
  const auto fold = [&](const auto& range, const int* count) {
    wf::reduce_segments(wf::device, range, wf::counted(of.offsets(true), count), wf::plus{}, out);
  };
  CHECK_NOTHROW(fold(of.range(), before.data()));
  CHECK_NOTHROW(fold(wf::counted(of.range(), elements.data()), before.data()));
  CHECK(
      test::fails_with<wf::invalid_range>([&] { fold(of.range(), behind.data()); }, tens::message));
}

TEST_CASE("ten million wrong segments") {
  std::vector<int> wrong(10000001);
  for (std::size_t s = 0; s < wrong.size(); ++s) wrong[s] = 40 - static_cast<int>(s);
  const test::device_memory::array<int> offsets(wrong, 0);
  const tens of;
  wf::device_buffer<float> out(10000000);
  CHECK(test::fails_with<wf::invalid_range>(
      [&] {
        wf::reduce_segments(wf::device, of.range(), std::span(offsets.data(), wrong.size()),
                            wf::plus{}, out);
      },
      "segment 0 begins at 40 and ends at 39, but"));
  CHECK(tells(wf::device, of));
}
