// The program warpfold. It reduces arrays of .npy files and shows which kernel ran and how fast. It
// compares the library's kernels, on a GPU or in the emulation, and measures the best launch shapes
// for a GPU.
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <unistd.h>

#include <warpfold/view/shards.hpp>

#include "command_line.hpp"
#include "printable.hpp"
#include "processes.hpp"
#include "report.hpp"
#include "text.hpp"

namespace {

using namespace warpfold::program;

constexpr int exit_ok = 0;
constexpr int exit_failed = 1;  // the command failed, or a value is wrong
constexpr int exit_usage = 2;   // the command line is invalid

// The only sign of a mapped file that shrinks, or of a disk that fails, is this signal.
extern "C" void say_bus_error(int) {
  static constexpr char text[] =
      "warpfold: reading the mapped file failed: it became shorter, or its disk failed\n";
  const auto written = write(STDERR_FILENO, text, sizeof text - 1);
  _exit(written < 0 ? exit_usage : exit_failed);
}

void check_op(const array& input, op o, const std::string& path) {
  if (!fits(o, input.type)) {
    std::string list;
    for (std::size_t i = 0; i < op_names.size(); ++i) {
      if (!fits(static_cast<op>(i), input.type)) continue;
      list += ' ';
      list += op_names[i];
    }
    throw npy_error(path + ": " + std::string(name_of(o)) + " is not defined for " +
                    std::string(name_of(input.type)) + "; use one of:" + list);
  }
  if (input.count == 0 && needs_elements(o)) {
    throw npy_error(path + ": the array is empty, and an empty array has no " +
                    std::string(name_of(o)) + "; use plus (which gives 0) or multiplies (1)");
  }
}

array select(const npy_file& file, const reduce_arguments& arguments) {
  const array input = file.select(arguments.how);
  check_op(input, arguments.what, printable(arguments.path));
  return input;
}

int run_explain(const reduce_arguments& arguments) {
  const npy_file file(arguments.path);
  const array input = select(file, arguments);
  std::printf("%s\n", describe_input(file, arguments.how.field, input).c_str());
  const bench b(file, input, arguments.policy);
  if (!b.remark().empty()) std::printf("%s\n", b.remark().c_str());
  std::fputs(b.explain(arguments.what).c_str(), stdout);
  return exit_ok;
}

/// A `warpfold reduce` of one process of several, which reads its part of the file.
class reduction_of_part {
 public:
  reduction_of_part(const reduce_arguments& arguments, const process_group& processes)
      : arguments_(arguments), processes_(processes) {}

  /// Opens the file, and folds the part once.
  void start() {
    if (arguments_.path == "-") {
      throw std::runtime_error(
          "several processes cannot read standard input; save the array to a file first");
    }
    if (arguments_.gpus) {
      throw std::runtime_error(
          "--gpus is for one process; omit it: under mpirun each process uses one GPU");
    }
    file_.emplace(arguments_.path);
    whole_ = select(*file_, arguments_);
    const int rank = processes_.rank(), ranks = processes_.size();
    result_.first = warpfold::shard_begin(whole_.count, rank, ranks);
    result_.count = warpfold::shard_begin(whole_.count, rank + 1, ranks) - result_.first;
    if (arguments_.policy == policy_choice::automatic ||
        arguments_.policy == policy_choice::device) {
      use_gpu(processes_.rank_on_machine());
    }
    bench_.emplace(*file_, whole_.piece(result_.first, result_.count), arguments_.policy);
    fold();
  }
  void fold() {
    const bool is_empty = bench_->input().count == 0;
    if (!is_empty) result_.total = bench_->fold(arguments_.what);
    if (whole_.count == 0) identity_ = bench_->fold(arguments_.what);
  }
  /// The result of all parts.
  value combined() const {
    return presented(processes_.combined(whole_.type, arguments_.what, result_, identity_),
                     whole_.type, arguments_.what);
  }

  const npy_file& file() const { return *file_; }
  const array& whole() const { return whole_; }
  const std::string& remark() const { return bench_->remark(); }
  std::string_view policy_name() const { return bench_->policy_name(arguments_.what); }

 private:
  const reduce_arguments& arguments_;
  const process_group& processes_;
  std::optional<npy_file> file_;
  array whole_;
  std::optional<bench> bench_;
  part_result result_;
  value identity_;
};

// Of the processes of mpirun. The first one prints; of those that fail, the one of the lowest rank.
int run_reduce_of_parts(const reduce_arguments& arguments) {
  const process_group processes;
  reduction_of_part part(arguments, processes);
  // Calls `f` on all ranks. Returns false if it throws on one.
  const auto all_do = [&](const auto& f) {
    std::string error;
    bool failed = false;
    try {
      f();
    } catch (const std::exception& e) {
      failed = true;
      error = e.what();
    }
    const int rank = processes.first_with(failed);
    if (rank == processes.rank()) {
      print_error("rank " + std::to_string(rank) + " of " + std::to_string(processes.size()) +
                  ": " + error);
    }
    return rank < 0;
  };

  std::vector<double> times;
  value total;
  const auto timed = [&](const auto& f) {
    const double start = now();
    if (!all_do(f)) return false;
    total = part.combined();
    times.push_back(now() - start);
    return true;
  };
  if (!timed([&] { part.start(); })) return exit_failed;
  if (arguments.repeat > 0) times.clear();
  while (static_cast<int>(times.size()) < arguments.repeat) {
    if (!timed([&] { part.fold(); })) return exit_failed;
  }
  if (processes.rank() != 0) return exit_ok;

  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  measurement m;
  m.total = total;
  m.seconds = *middle;
  m.calls = static_cast<int>(times.size());
  if (arguments.repeat == 0) m.note = "includes reading the file";
  std::printf("%s\n", describe_input(part.file(), arguments.how.field, part.whole()).c_str());
  if (!part.remark().empty()) std::printf("%s\n", part.remark().c_str());
  std::fputs(
      describe_processes(part.whole(), arguments.what, m, part.policy_name(), processes.size())
          .c_str(),
      stdout);
  return exit_ok;
}

int run_reduce(const reduce_arguments& arguments) {
#if WARPFOLD_PROGRAM_MPI
  if (rank_from_launcher()) return run_reduce_of_parts(arguments);
#else
  if (const auto rank = rank_from_launcher()) {
    if (*rank != 0) return exit_failed;  // the first process prints the error
    return run_reduce_of_parts(arguments);
  }
#endif
  const npy_file file(arguments.path);
  const array input = select(file, arguments);
  if (file.trailing_bytes() != 0) {
    print_error(printable(arguments.path) + ": the " + std::to_string(file.trailing_bytes()) +
                " bytes after the array are ignored");
  }

  std::printf("%s\n", describe_input(file, arguments.how.field, input).c_str());
  std::fflush(stdout);
  const bench b =
      arguments.gpus ? bench(file, input, *arguments.gpus) : bench(file, input, arguments.policy);
  if (!b.remark().empty()) std::printf("%s\n", b.remark().c_str());
  measure_options options;
  options.baselines = !arguments.no_baselines;
  options.repeat = arguments.repeat;
  const auto all = b.run(arguments.what, options);
  std::fputs(describe_reduction(b, arguments.what, all).c_str(), stdout);
  return all.front().result == measurement::outcome::wrong ? exit_failed : exit_ok;
}

int run_ladder_for(const ladder_options& options) {
  if (ladder_rungs().empty() || ladder_built_for(options.type, options.what)) {
    return run_ladder(options);
  }
  print_error("the ladder is not built for " + std::string(name_of(options.what)) + " of " +
              std::string(name_of(options.type)) + "; use --op plus");
  return exit_usage;
}

int run_info() {
  std::fputs(describe_machine().c_str(), stdout);
  return exit_ok;
}

int run(const request& ask) {
  switch (ask.what) {
    case command::reduce:
      return run_reduce(ask.reduce);
    case command::explain:
      return run_explain(ask.reduce);
    case command::demo:
      return run_demo(ask.folder);
    case command::info:
      return run_info();
    case command::ladder:
      return run_ladder_for(ask.ladder);
    case command::tune:
      return run_tune(ask.tune);
    case command::coalescing:
      return run_coalescing(ask.coalescing);
  }
  return exit_failed;
}

int answer(const reply& r) {
  if (r.is_error) {
    print_error(r.text);
    return exit_usage;
  }
  std::fputs(r.text.c_str(), stdout);
  return exit_ok;
}

kernel_names all_kernels() {
  kernel_names names;
  for (const rung& r : ladder_rungs()) names.ladder.emplace_back(r.name);
  for (const std::string_view name : emulated_kernels()) names.coalescing.emplace_back(name);
  return names;
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGBUS, say_bus_error);
  try {
    const auto asked = parse_command_line({argv + 1, argv + argc}, all_kernels());
    const auto* const ask = std::get_if<request>(&asked);
    const int code = ask != nullptr ? run(*ask) : answer(std::get<reply>(asked));
    // An output that could not be written must not exit as a success.
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
    print_error("cannot write to standard output");
  } catch (const std::exception& e) {
    print_error(e.what());
  }
  return exit_failed;
}
