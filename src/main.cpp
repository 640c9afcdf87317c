// warpfold: reduces arrays of .npy files, and shows what ran and how fast.
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <iostream>
#include <map>
#include <string>

#include <unistd.h>

#include <CLI/CLI.hpp>

#include <warpfold/config.hpp>

#include "report.hpp"

namespace {

using namespace warpfold::program;

constexpr int exit_ok = 0;
constexpr int exit_failed = 1;  // the file, the machine, or a wrong value
constexpr int exit_usage = 2;   // the command line

// A mapped file that shrinks, or a disk that fails, shows as this signal and in no other way.
extern "C" void say_bus_error(int) {
  static constexpr char text[] =
      "warpfold: the file could not be read any more: it became shorter, or its disk failed\n";
  const auto written = write(STDERR_FILENO, text, sizeof text - 1);
  _exit(written < 0 ? exit_usage : exit_failed);
}

template <class Enum, std::size_t N>
std::map<std::string, Enum> by_name(const std::array<std::string_view, N>& names) {
  std::map<std::string, Enum> all;
  for (std::size_t i = 0; i < N; ++i) all[std::string(names[i])] = static_cast<Enum>(i);
  return all;
}

/// What `warpfold reduce` is asked for.
struct reduce_arguments {
  std::string path;
  op what = op::plus;
  npy_selection how;
  std::string as;
  policy_choice policy = policy_choice::automatic;
  bool no_baselines = false;
  int repeat = 0;
};

void check_op(const array& input, op o, const std::string& path) {
  if (!fits(o, input.type)) {
    std::string list;
    for (std::size_t i = 0; i < op_names.size(); ++i) {
      if (!fits(static_cast<op>(i), input.type)) continue;
      list += ' ';
      list += op_names[i];
    }
    throw npy_error(path + ": " + std::string(name_of(o)) + " means nothing for " +
                    std::string(name_of(input.type)) + "; these ops do:" + list);
  }
  if (input.count == 0 && is_extremum(o)) {
    throw npy_error(path + ": the array is empty, and an empty array has no " +
                    std::string(name_of(o)) + "; plus gives 0, multiplies 1");
  }
}

array select(const npy_file& file, const reduce_arguments& arguments) {
  npy_selection how = arguments.how;
  how.as_float3 = arguments.as == "float3";
  const array input = file.select(how);
  check_op(input, arguments.what, arguments.path);
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

int run_reduce(const reduce_arguments& arguments) {
  const npy_file file(arguments.path);
  const array input = select(file, arguments);
  if (file.trailing_bytes() != 0) {
    std::fprintf(stderr, "warpfold: %s: the %llu bytes after the array are not read\n",
                 arguments.path.c_str(), static_cast<unsigned long long>(file.trailing_bytes()));
  }

  std::printf("%s\n", describe_input(file, arguments.how.field, input).c_str());
  std::fflush(stdout);
  const bench b(file, input, arguments.policy);
  if (!b.remark().empty()) std::printf("%s\n", b.remark().c_str());
  measure_options options;
  options.baselines = !arguments.no_baselines;
  options.repeat = arguments.repeat;
  const auto all = b.run(arguments.what, options);
  std::fputs(describe_reduction(b, arguments.what, all).c_str(), stdout);
  return all.front().result == measurement::outcome::wrong ? exit_failed : exit_ok;
}

/// The options that `reduce` and `explain` share.
void add_what_to_reduce(CLI::App& command, reduce_arguments& arguments) {
  command.add_option("FILE", arguments.path, "an array as numpy.save writes it, in C order")
      ->type_name("")
      ->required();
  command
      .add_option("--op", arguments.what,
                  "plus (the default), multiplies, minimum, maximum,\n"
                  "bit_and, bit_or, bit_xor, logical_and or logical_or")
      ->type_name("OP")
      ->transform(CLI::CheckedTransformer(by_name<op>(op_names)).description(""));
  command
      .add_option("--field", arguments.how.field,
                  "the field of a structured array; inner fields as a.b")
      ->type_name("NAME");
  command.add_option("--as", arguments.as, "float3: take each three float32 as one point")
      ->type_name("TYPE")
      ->check(CLI::IsMember({"float3"}).description(""));
  static constexpr std::array<std::string_view, 4> policy_names{"auto", "seq", "par", "device"};
  command
      .add_option("--policy", arguments.policy,
                  "auto (the default: the GPU where there is one, else\n"
                  "host threads), device, par or seq; par and seq leave\n"
                  "the GPU alone")
      ->type_name("POLICY")
      ->transform(CLI::CheckedTransformer(by_name<policy_choice>(policy_names)).description(""));
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGBUS, say_bus_error);

  CLI::App app{
      "warpfold reduces the arrays of .npy files, on the GPU or on host threads, and shows\n"
      "beside it how long the same reduction takes by other means.",
      "warpfold"};
  app.set_version_flag("--version", "warpfold " + std::to_string(WARPFOLD_VERSION_MAJOR) + "." +
                                        std::to_string(WARPFOLD_VERSION_MINOR) + "." +
                                        std::to_string(WARPFOLD_VERSION_PATCH));
  app.require_subcommand(1);
  app.get_formatter()->column_width(34);
  app.get_formatter()->label("REQUIRED", "");
  app.footer(
      "Examples:\n"
      "  warpfold reduce photo.npy --op maximum\n"
      "  warpfold reduce particles.npy --field mass\n"
      "  warpfold reduce mesh.npy --as float3 --op minimum\n"
      "  warpfold reduce huge.npy --no-baselines\n"
      "  warpfold explain photo.npy --op maximum\n"
      "\n"
      "warpfold COMMAND --help tells more of a command.\n"
      "Exit codes: 0 done; 1 the file or the machine cannot do it, or the value is wrong;\n"
      "2 the command line is not understood.");

  reduce_arguments arguments;
  CLI::App* const reduce = app.add_subcommand("reduce", "Reduce one array");
  CLI::App* const explain = app.add_subcommand(
      "explain", "Show how a reduction would run: kernel, launch, expected time");
  add_what_to_reduce(*reduce, arguments);
  add_what_to_reduce(*explain, arguments);
  reduce->add_flag("--no-baselines", arguments.no_baselines,
                   "run that policy only, and check the value by nothing");
  reduce->add_option("--repeat", arguments.repeat, "timed calls a policy (default: 0.4 s of them)")
      ->type_name("N")
      ->check(CLI::Range(1, 1000000).description(""));
  reduce->footer(
      "Elements: bool, int8 to int64, uint8 to uint64, float16, float32, float64, complex64,\n"
      "complex128, fields of these in structured arrays, and points of three float32.\n"
      "The file is mapped, not loaded: on the host it may be larger than memory.");

  std::string folder;
  CLI::App* const demo =
      app.add_subcommand("demo", "Reduce each .npy file of a folder; a table a file");
  demo->add_option("DIR", folder, "a folder; NAME.txt beside NAME.npy says in a line what it is")
      ->type_name("")
      ->required();

  CLI::App* const info =
      app.add_subcommand("info", "Show the GPU, the driver, and what this program was built with");

  // What could not be written must not look like success.
  const auto written = [](int code) {
    std::cout.flush();
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout.good()) return code;
    std::fprintf(stderr, "warpfold: standard output could not be written\n");
    return exit_failed;
  };

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return written(app.exit(e) == 0 ? exit_ok : exit_usage);
  }

  try {
    if (reduce->parsed()) return written(run_reduce(arguments));
    if (explain->parsed()) return written(run_explain(arguments));
    if (demo->parsed()) return written(run_demo(folder));
    if (info->parsed()) std::fputs(describe_machine().c_str(), stdout);
    return written(exit_ok);
  } catch (const std::exception& e) {
    // The library's messages begin with its name already.
    const char* const what = e.what();
    const bool named = std::strncmp(what, "warpfold: ", 10) == 0;
    std::fprintf(stderr, "%s%s\n", named ? "" : "warpfold: ", what);
    return exit_failed;
  }
}
