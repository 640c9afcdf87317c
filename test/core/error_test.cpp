// Messages of errors, piece by piece, and which exceptions are caught as what.
#include <warpfold/core/error.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

namespace wf = warpfold;

namespace {

template <class... Pieces>
std::string text(const Pieces&... pieces) {
  return wf::message(pieces...).c_str();
}

}  // namespace

TEST_CASE("a message is its pieces: texts, integers, addresses, messages") {
  CHECK(text() == "");
  CHECK(text("a", 0, "b", 12u, "c") == "a0b12c");
  CHECK(text(-7, " ", short{-1}) == "-7 -1");
  CHECK(text(std::numeric_limits<long long>::min()) == "-9223372036854775808");
  CHECK(text(std::numeric_limits<long long>::max()) == "9223372036854775807");
  CHECK(text(std::numeric_limits<unsigned long long>::max()) == "18446744073709551615");
  const auto* const address =
      reinterpret_cast<const void*>(static_cast<std::uintptr_t>(0x7f00a0bcde));
  CHECK(text("at ", address) == "at 0x7f00a0bcde");
  CHECK(text(static_cast<const void*>(nullptr)) == "0x0");
  CHECK(text(wf::message("inner ", 3), "!") == "inner 3!");
}

TEST_CASE("a longer text than fits is cut, and ends with a zero") {
  const std::string most(1023, 'x');
  CHECK(text(most.c_str()) == most);
  CHECK(text(most.c_str(), "yz") == most);
  CHECK(text(std::string(1020, 'x').c_str(), 123456).substr(1018) == "xx123");
}

TEST_CASE("an error says its pieces, also after the pieces are gone") {
  const auto thrown = [] {
    const std::string name = "values";
    return wf::invalid_range("warpfold: ", name.c_str(), " has ", 3, " elements");
  }();
  const auto copy = thrown;
  CHECK(std::string(copy.what()) == "warpfold: values has 3 elements");
  CHECK(std::string(wf::empty_range(wf::message("none")).what()) == "none");
}

// An exception whose copy throws ends the program where it is caught by value or rethrown.
static_assert(std::is_nothrow_copy_constructible_v<wf::cuda_error>);
static_assert(std::is_nothrow_copy_constructible_v<wf::out_of_memory>);

TEST_CASE_TEMPLATE("every error but out_of_memory is an error", E, wf::no_device, wf::invalid_range,
                   wf::empty_range, wf::invalid_argument, wf::unsupported_kernel,
                   wf::invalid_tuning) {
  try {
    throw E("what is wrong: ", 42);
  } catch (const std::bad_alloc&) {
    FAIL_CHECK("is a bad_alloc");
  } catch (const wf::error& e) {
    CHECK(std::string(e.what()) == "what is wrong: 42");
  }
}

TEST_CASE("out_of_memory is a bad_alloc with a text") {
  try {
    throw wf::out_of_memory("no ", 10, " bytes");
  } catch (const std::bad_alloc& e) {
    CHECK(std::string(e.what()) == "no 10 bytes");
  }
  static_assert(!std::is_base_of_v<wf::error, wf::out_of_memory>);
}

TEST_CASE("a cuda_error has CUDA's code beside its text") {
  try {
    throw wf::cuda_error(719, wf::message("the launch failed"));
  } catch (const wf::error& e) {
    CHECK(std::string(e.what()) == "the launch failed");
    CHECK(dynamic_cast<const wf::cuda_error&>(e).code() == 719);
  }
}

TEST_CASE("throw_error makes the error of its arguments") {
  CHECK_THROWS_WITH_AS(wf::throw_error<wf::invalid_range>("a", 1, "b"), "a1b", wf::invalid_range);
  CHECK_THROWS_WITH_AS(wf::throw_error<wf::out_of_memory>(wf::message("c")), "c", std::bad_alloc);
  try {
    wf::throw_error<wf::cuda_error>(7, wf::message("d"));
  } catch (const wf::cuda_error& e) {
    CHECK(e.code() == 7);
  }
}
