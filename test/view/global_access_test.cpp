// global_access: plain loads and stores, which the emulation reports where the object was made.
// needs: boost_context
#include <warpfold/view/global_access.hpp>

#include <doctest/doctest.h>

#include <cstring>
#include <vector>

#include <warpfold/emulation/execution_model.hpp>
#include <warpfold/runtime/emulated_launcher.hpp>

namespace wf = warpfold;

namespace {

/// Cannot be assigned, only constructed.
struct constant {
  const int value;
};

}  // namespace

TEST_CASE("stores write the given words and elements only") {
  const wf::global_access access;
  alignas(16) const unsigned from[4] = {1, 2, 3, 4};
  alignas(16) unsigned to[12];
  std::memset(to, 0xff, sizeof to);
  access.store_word(to + 4, access.load_word(from));
  for (unsigned i = 0; i < 12; ++i) {
    CHECK(to[i] == (i >= 4 && i < 8 ? from[i - 4] : 0xffffffffu));
  }
  access.store(to + 1, access.load(from + 2));
  CHECK(to[1] == 3);
  CHECK(to[0] == 0xffffffffu);
  CHECK(to[2] == 0xffffffffu);
  alignas(constant) unsigned char room[sizeof(constant)];
  access.store(reinterpret_cast<constant*>(room), constant{7});
  CHECK(access.load(reinterpret_cast<const constant*>(room)).value == 7);
}

namespace {

int made_at = 0;

/// Each thread copies one word, in place.
struct increment {
  static constexpr int max_block = 32;
  static constexpr bool calls_user_functions = false;
  unsigned* data;

  void operator()() const {
    made_at = __LINE__ + 1;
    const wf::global_access access;
    unsigned* const own = data + 4 * wf::threadIdx.x;
    wf::word w = access.load_word(own);
    ++w.part[0];
    access.store_word(own, w);
    access.store(own + 1, access.load(own + 1) + 2);
  }
};

}  // namespace

TEST_CASE("the emulation counts loads and stores, at the line that made the object") {
  std::vector<wf::word> data(32);
  wf::emulation::report counts;
  wf::emulation::launcher launcher(wf::emulation::default_gpu, &counts);
  launcher.allow(data.data(), data.size() * sizeof(wf::word), true);
  launcher.launch("increment", increment{data.front().part}, {.grid = 1, .block = 32});
  for (const wf::word& w : data) {
    CHECK(w.part[0] == 1);
    CHECK(w.part[1] == 2);
  }
  using wf::emulation::traffic;
  for (const traffic what : {traffic::global_load, traffic::global_store}) {
    for (const unsigned bytes : {4u, 16u}) {
      INFO("traffic ", static_cast<int>(what), " of ", bytes, " bytes");
      std::uint64_t lanes = 0;
      for (const auto& site : counts.launches.front().sites) {
        if (site.what != what || site.access_bytes != bytes) continue;
        CHECK(site.at.line == made_at);
        lanes += site.lanes;
      }
      CHECK(lanes == 32);
    }
  }
}

TEST_CASE("in the emulation, memory that may only be read is not stored to") {
  std::vector<wf::word> data(32);
  wf::emulation::launcher launcher(wf::emulation::default_gpu, nullptr);
  launcher.allow(data.data(), data.size() * sizeof(wf::word), false);
  CHECK_THROWS_AS(
      launcher.launch("increment", increment{data.front().part}, {.grid = 1, .block = 32}),
      wf::emulation_error);
}
