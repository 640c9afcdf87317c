// main() of every test executable. Fails if no test case runs. The flavor that needs a GPU exits
// with 77 on machines without one; CTest reports that as skipped.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdio>

#ifdef WARPFOLD_TEST_NEEDS_GPU
#include <cuda_runtime_api.h>
#endif

namespace {

constexpr int exit_failure = 1;
constexpr int exit_skipped = 77;

unsigned cases_run = 0;

/// Counts the test cases that run; prints nothing.
struct case_counter : doctest::IReporter {
  explicit case_counter(const doctest::ContextOptions&) {}
  void report_query(const doctest::QueryData&) override {}
  void test_run_start() override {}
  void test_run_end(const doctest::TestRunStats&) override {}
  void test_case_start(const doctest::TestCaseData&) override { ++cases_run; }
  void test_case_reenter(const doctest::TestCaseData&) override {}
  void test_case_end(const doctest::CurrentTestCaseStats&) override {}
  void test_case_exception(const doctest::TestCaseException&) override {}
  void subcase_start(const doctest::SubcaseSignature&) override {}
  void subcase_end() override {}
  void log_assert(const doctest::AssertData&) override {}
  void log_message(const doctest::MessageData&) override {}
  void test_case_skipped(const doctest::TestCaseData&) override {}
};
REGISTER_LISTENER("case_counter", 0, case_counter);

bool gpu_is_usable() {
#ifdef WARPFOLD_TEST_NEEDS_GPU
  int count = 0;
  cudaError_t status = cudaGetDeviceCount(&count);
  if (status == cudaSuccess && count > 0) status = cudaFree(nullptr);  // makes the context
  if (status == cudaSuccess && count > 0) return true;
  std::printf("SKIPPED: no usable GPU (%s: %s)\n", cudaGetErrorName(status),
              cudaGetErrorString(status));
  return false;
#else
  return true;
#endif
}

}  // namespace

int main(int argc, char** argv) {
  doctest::Context context(argc, argv);
  if (!gpu_is_usable()) return exit_skipped;

  const int failed = context.run();
  if (context.shouldExit()) return failed;
  if (cases_run == 0) {
    std::printf("FAILED: no test case ran\n");
    return exit_failure;
  }
  return failed;
}
