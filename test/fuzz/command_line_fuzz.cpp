// The program's command line: a line of the input is an argument, in which a zero byte stands for a
// newline.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "command_line.hpp"
#include "libfuzzer.hpp"

namespace {

using namespace warpfold::program;
using fuzz::expect;

std::vector<std::string> arguments_of(std::string_view input) {
  std::vector<std::string> all;
  while (!input.empty()) {
    const std::size_t end = std::min(input.find('\n'), input.size());
    std::string one(input.substr(0, end));
    std::replace(one.begin(), one.end(), '\0', '\n');
    all.push_back(one);
    input.remove_prefix(std::min(end + 1, input.size()));
  }
  return all;
}

bool is_one_of(const std::string& name, const std::vector<std::string>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// What the commands rely on.
void check(const request& ask, const kernel_names& kernels) {
  switch (ask.what) {
    case command::reduce:
    case command::explain:
      expect(static_cast<std::size_t>(ask.reduce.what) < op_names.size(), "it is an op");
      expect(ask.reduce.policy >= policy_choice::automatic &&
                 ask.reduce.policy <= policy_choice::device,
             "it is a policy");
      expect(ask.reduce.repeat >= 0 && ask.reduce.repeat <= 1000000, "repeat is in its range");
      return;
    case command::ladder:
      for (const std::size_t n : ask.ladder.sizes) {
        expect(n >= 1 && n <= std::size_t{1} << 32, "a size is in its range");
      }
      for (const std::string& name : ask.ladder.kernels) {
        expect(is_one_of(name, kernels.ladder), "it is a kernel of the ladder");
      }
      expect(std::find(ladder_types.begin(), ladder_types.end(), ask.ladder.type) !=
                 ladder_types.end(),
             "it is an element of the ladder");
      expect(std::find(ladder_ops.begin(), ladder_ops.end(), ask.ladder.what) != ladder_ops.end(),
             "it is an op of the ladder");
      return;
    case command::tune:
      expect(ask.tune.most == 0 ||
                 (ask.tune.most >= least_tuned_bytes && ask.tune.most <= most_tuned_bytes),
             "the size is in its range");
      return;
    case command::coalescing:
      expect(is_one_of(ask.coalescing.kernel, kernels.coalescing), "it is an emulated kernel");
      expect(static_cast<std::size_t>(ask.coalescing.view) < layout_names.size(), "it is a view");
      expect(ask.coalescing.count >= 1 && ask.coalescing.count <= std::size_t{1} << 26,
             "the size is in its range");
      expect(std::find(coalescing_types.begin(), coalescing_types.end(), ask.coalescing.type) !=
                 coalescing_types.end(),
             "it is an element of the emulation");
      return;
    case command::demo:
    case command::info:
      return;
  }
  expect(false, "it is a command");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const kernel_names kernels{{"atomic", "single_pass", "CUB"}, {"atomic", "warp_shuffle"}};
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::variant<request, reply> asked = parse_command_line(arguments_of(input), kernels);
  if (const auto* const ask = std::get_if<request>(&asked)) {
    check(*ask, kernels);
  } else {
    fuzz::expect_printable(std::get<reply>(asked).text);
  }
  return 0;
}
