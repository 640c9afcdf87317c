/// @file
/// Tells for each test case which faults it reached (faults.hpp). mutate.py appends it to
/// test/main.cpp.
#include <chrono>

namespace {

struct reach_listener : doctest::IReporter {
  explicit reach_listener(const doctest::ContextOptions&) {}
  void report_query(const doctest::QueryData&) override {}
  void test_run_start() override {}
  void test_run_end(const doctest::TestRunStats&) override {}
  void test_case_start(const doctest::TestCaseData&) override {
    begin_ = std::chrono::steady_clock::now();
  }
  void test_case_reenter(const doctest::TestCaseData&) override {}
  void test_case_end(const doctest::CurrentTestCaseStats&) override {
    if (::wf_fault::reach_file == nullptr) return;
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin_;
    ::wf_fault::write_reached("case", took.count());
  }
  void test_case_exception(const doctest::TestCaseException&) override {}
  void subcase_start(const doctest::SubcaseSignature&) override {}
  void subcase_end() override {}
  void log_assert(const doctest::AssertData&) override {}
  void log_message(const doctest::MessageData&) override {}
  void test_case_skipped(const doctest::TestCaseData&) override {}

 private:
  std::chrono::steady_clock::time_point begin_;
};
REGISTER_LISTENER("reach_listener", 0, reach_listener);

}  // namespace
