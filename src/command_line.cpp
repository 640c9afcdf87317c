#include "command_line.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <sstream>
#include <utility>

#include <CLI/CLI.hpp>

#include <warpfold/core/config.hpp>

#include "printable.hpp"

namespace warpfold::program {
namespace {

template <class Enum, std::size_t N>
std::vector<std::pair<std::string, Enum>> by_name(const std::array<std::string_view, N>& names) {
  std::vector<std::pair<std::string, Enum>> all;
  for (std::size_t i = 0; i < N; ++i) all.emplace_back(names[i], static_cast<Enum>(i));
  return all;
}

/// Pairs of name and enumerator.
template <class Enum, std::size_t N>
std::vector<std::pair<std::string, Enum>> by_name(const std::array<Enum, N>& some) {
  std::vector<std::pair<std::string, Enum>> all;
  for (const Enum e : some) all.emplace_back(name_of(e), e);
  return all;
}

/// Accepts one of `names`; the error lists them. Accepts every name if `names` is empty: the
/// command then says why it cannot run.
CLI::Validator one_of(const std::vector<std::string>& names) {
  return CLI::Validator(
      [names](std::string& text) {
        std::string list;
        for (const std::string& name : names) {
          if (name == text) return std::string();
          list += (list.empty() ? "" : ", ") + name;
        }
        return list.empty() ? list : "\"" + text + "\" is not one of " + list;
      },
      "");
}

/// Accepts the name of an enumerator, and replaces the name by the enumerator's number.
template <class Enum>
CLI::Validator one_of(const std::vector<std::pair<std::string, Enum>>& names) {
  return CLI::Validator(
      [names](std::string& text) {
        std::string list;
        for (const auto& [name, e] : names) {
          if (name == text) {
            text = std::to_string(static_cast<int>(e));
            return std::string();
          }
          list += (list.empty() ? "" : ", ") + name;
        }
        return "\"" + text + "\" is not one of " + list;
      },
      "");
}

/// Accepts a number of `what` from `least` to `most`, written as 1000 or 2^20.
CLI::Validator count_of(const char* what, std::size_t least, std::size_t most) {
  return CLI::Validator(
      [what, least, most](std::string& text) {
        std::size_t base = 0, exponent = 1;
        const char* const end = text.data() + text.size();
        auto read = std::from_chars(text.data(), end, base);
        if (read.ec == std::errc() && read.ptr != end && *read.ptr == '^') {
          read = std::from_chars(read.ptr + 1, end, exponent);
        }
        std::size_t n = 1;
        for (std::size_t i = 0; i < exponent && i < 64 && n <= most; ++i) n *= base;
        if (read.ec != std::errc() || read.ptr != end || n < least || n > most) {
          return "\"" + text + "\" is not a number of " + what + " from " + std::to_string(least) +
                 " to " + std::to_string(most) + ", such as " +
                 (least <= 1000 ? "1000 or 2^20" : "1000000 or 2^20");
        }
        text = std::to_string(n);
        return std::string();
      },
      "");
}

/// The options that `reduce` and `explain` share.
void add_what_to_reduce(CLI::App& command, reduce_arguments& arguments) {
  command
      .add_option("FILE", arguments.path,
                  "an array in C order, as written by numpy.save;\n"
                  "- reads it from standard input")
      ->type_name("")
      ->required();
  command
      .add_option("--op", arguments.what,
                  "plus (the default), multiplies, minimum, maximum,\n"
                  "bit_and, bit_or, bit_xor, logical_and, logical_or,\n"
                  "mean, norm (Euclidean), argmin or argmax (the value\n"
                  "and its index)")
      ->type_name("OP")
      ->transform(one_of(by_name<op>(op_names)));
  command
      .add_option("--field", arguments.how.field,
                  "the field of a structured array; a.b is field b of\n"
                  "field a")
      ->type_name("NAME");
  command
      .add_option_function<std::string>(
          "--as", [&](const std::string&) { arguments.how.as_float3 = true; },
          "float3: treat every three float32 as one point")
      ->type_name("TYPE")
      ->check(one_of({"float3"}));
  static constexpr std::array<std::string_view, 4> policy_names{"auto", "seq", "par", "device"};
  command
      .add_option("--policy", arguments.policy,
                  "auto (the default: the GPU if the machine has one,\n"
                  "otherwise host threads), device, par or seq; par and\n"
                  "seq do not use the GPU")
      ->type_name("POLICY")
      ->transform(one_of(by_name<policy_choice>(policy_names)));
}

/// Reads the value of --gpus: all, or numbers.
/// @return the error, or nothing
std::string read_gpus(const std::string& text, std::optional<std::vector<int>>& gpus) {
  gpus.emplace();
  if (text == "all") return {};
  constexpr int most = 16;
  const char* at = text.data();
  const char* const end = at + text.size();
  const auto wrong = [&] {
    return "\"" + text + "\" names no GPUs; use all, or up to " + std::to_string(most) +
           " different numbers such as 0,1";
  };
  for (;;) {
    int id = 0;
    const auto read = std::from_chars(at, end, id);
    const bool is_new = std::find(gpus->begin(), gpus->end(), id) == gpus->end();
    if (read.ec != std::errc() || id < 0 || !is_new || gpus->size() == most) return wrong();
    gpus->push_back(id);
    if (read.ptr == end) return {};
    if (*read.ptr != ',') return wrong();
    at = read.ptr + 1;
  }
}

/// "one, two, three", in lines of up to 92 characters.
std::string wrapped(const std::string& before, const std::vector<std::string>& names) {
  std::string text, line = before;
  for (const std::string& name : names) {
    const std::string next = (&name == &names.front() ? " " : ", ") + name;
    if (line.size() + next.size() > 92) {
      text += line + ",\n";
      line = " " + next.substr(1);
    } else {
      line += next;
    }
  }
  return text + line;
}

/// Examples, and the kernels of a command, if there are any. A command without a footer of its own
/// has that of the program.
void set_examples(CLI::App& command, const std::string& lines,
                  const std::vector<std::string>& kernels = {}) {
  command.footer((kernels.empty() ? "" : wrapped("Kernels:", kernels) + "\n\n") + "Examples:\n" +
                 lines);
}

void add_ladder(CLI::App& command, ladder_options& options, const std::vector<std::string>& names) {
  command
      .add_option("--n", options.sizes,
                  "number of elements, such as 1000 or 2^28 (default:\n"
                  "2^22); several numbers give one table each")
      ->type_name("N")
      ->transform(count_of("elements", 1, std::size_t{1} << 32));
  command.add_option("--type", options.type, "int32 (the default), float32, float64 or uint8")
      ->type_name("TYPE")
      ->transform(one_of(by_name(ladder_types)));
  command.add_option("--op", options.what, "plus (the default), minimum or maximum")
      ->type_name("OP")
      ->transform(one_of(by_name(ladder_ops)));
  command.add_option("--kernel", options.kernels, "run only these kernels")
      ->type_name("NAME")
      ->check(one_of(names));
  command.add_option("--json", options.json, "write the figures to this file")->type_name("FILE");
  command.add_option("--markdown", options.markdown, "write the tables to this file")
      ->type_name("FILE");
  set_examples(command,
               "  warpfold ladder\n"
               "  warpfold ladder --n 2^28 --type float32\n"
               "  warpfold ladder --kernel single_pass --json ladder.json",
               names);
}

void add_tune(CLI::App& command, tune_options& options) {
  command.add_option("--out", options.out, "write the tuning to this file instead of the terminal")
      ->type_name("FILE");
  command
      .add_option("--most", options.most,
                  "bytes of the largest range, such as 2^30 (default:\n"
                  "2^32, or less if the GPU's memory is smaller)")
      ->type_name("BYTES")
      ->transform(count_of("bytes", least_tuned_bytes, most_tuned_bytes));
  command.add_flag("--show", options.show,
                   "only print the built-in table for this GPU; without a\n"
                   "GPU, that for an H100");
  command
      .add_option("--check", options.check,
                  "only check that this file is a tuning for this GPU;\n"
                  "without a GPU, check only its format")
      ->type_name("FILE");
  command.footer(
      "The command times sums of float, minima of double and products of int, for each size with\n"
      "up to 60 launch shapes. It takes less than a minute. The tuning is a text file. To use it\n"
      "in a program:\n"
      "  #include <warpfold/tuning_text.hpp>\n"
      "  wf::device.with(wf::read_tuning(\"FILE\"))\n"
      "\n"
      "Examples:\n"
      "  warpfold tune --show\n"
      "  warpfold tune --out gpu.tuning\n"
      "  warpfold tune --check gpu.tuning");
}

void add_coalescing(CLI::App& command, coalescing_options& options,
                    const std::vector<std::string>& names) {
  command.add_option("--kernel", options.kernel, "the kernel to run")
      ->type_name("NAME")
      ->required()
      ->check(one_of(names));
  command
      .add_option("--view", options.view,
                  "the memory layout: contiguous (the default),\n"
                  "misaligned (starts one element after an aligned\n"
                  "address), strided (a field of an array of structs:\n"
                  "every third element) or zip (the products of two\n"
                  "arrays)")
      ->type_name("VIEW")
      ->transform(one_of(by_name<layout>(layout_names)));
  command
      .add_option("--type", options.type,
                  "int8, int16, int32, int64, float32 (the default),\n"
                  "float64 or float3 (a struct of three float32)")
      ->type_name("TYPE")
      ->transform(one_of(by_name(coalescing_types)));
  command.add_option("--n", options.count, "number of elements (default: 4096)")
      ->type_name("N")
      ->transform(count_of("elements", 1, std::size_t{1} << 26));
  set_examples(command,
               "  warpfold coalescing --kernel sequential_addressing --view strided\n"
               "  warpfold coalescing --kernel single_pass --type float3 --n 2^16",
               names);
}

/// The error for a command line that names no command.
std::string without_command(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* const one : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(one->get_name());
  }
  std::string list;
  for (const std::string& name : names) {
    if (!list.empty()) list += &name == &names.back() ? " and " : ", ";
    list += name;
  }
  const std::vector<std::string> rest = app.remaining();
  std::string what = "no command";
  if (!rest.empty()) {
    const bool is_option = rest.front().size() > 1 && rest.front().starts_with('-');
    what = std::string("unknown ") + (is_option ? "option" : "command") + " '" + rest.front() + "'";
  }
  return what + "; the commands are " + list;
}

reply wrong(const std::string& what) {
  return {printable(what) + "\nRun with --help for more information.", true};
}

}  // namespace

std::variant<request, reply> parse_command_line(std::vector<std::string> arguments,
                                                const kernel_names& kernels) {
  request ask;
  CLI::App app{
      "warpfold reduces the arrays of .npy files on the GPU or on host threads, and compares\n"
      "its time with other implementations.",
      "warpfold"};
  app.set_version_flag("--version", "warpfold " + std::to_string(WARPFOLD_VERSION_MAJOR) + "." +
                                        std::to_string(WARPFOLD_VERSION_MINOR) + "." +
                                        std::to_string(WARPFOLD_VERSION_PATCH));
  app.require_subcommand(1);
  app.get_formatter()->column_width(34);
  app.get_formatter()->label("REQUIRED", "");
  app.footer(
      "Examples:\n"
      "  warpfold reduce photo.npy --op mean\n"
      "  warpfold reduce particles.npy --field mass\n"
      "  warpfold reduce mesh.npy --as float3 --op minimum\n"
      "  warpfold reduce huge.npy --no-baselines\n"
      "  warpfold explain photo.npy --op maximum\n"
      "  warpfold ladder --n 2^28 --type float32\n"
      "  warpfold tune --out gpu.tuning\n"
      "  warpfold coalescing --kernel sequential_addressing --view strided\n"
      "\n"
      "warpfold COMMAND --help describes a command.\n"
      "Exit codes: 0 success; 1 the command failed or a value is wrong; 2 the command line is\n"
      "invalid.");

  CLI::App* const reduce = app.add_subcommand("reduce", "Reduce one array");
  CLI::App* const explain = app.add_subcommand(
      "explain", "Show how a reduction would run: kernel, launch, expected time");
  add_what_to_reduce(*reduce, ask.reduce);
  add_what_to_reduce(*explain, ask.reduce);
  reduce->add_flag("--no-baselines", ask.reduce.no_baselines,
                   "run only the chosen policy, and do not check the value");
  reduce
      ->add_option("--repeat", ask.reduce.repeat,
                   "timed calls per policy (default: as many as fit into\n"
                   "0.4 s)")
      ->type_name("N")
      ->check(CLI::Range(1, 1000000).description(""));
  reduce
      ->add_option_function<std::string>(
          "--gpus",
          [&](const std::string& text) {
            const std::string error = read_gpus(text, ask.reduce.gpus);
            if (!error.empty()) throw CLI::ValidationError("--gpus", error);
          },
          "divide the array among these GPUs: all, or numbers\n"
          "such as 0,1")
      ->type_name("LIST")
      ->excludes(reduce->get_option("--policy"));
  reduce->footer(
      "Elements: bool, int8 to int64, uint8 to uint64, float16, float32, float64, complex64,\n"
      "complex128, fields of these in structured arrays, and points of three float32.\n"
      "The file is memory-mapped: with a host policy it may be larger than memory.\n"
      "Under mpirun each process reads its part of the file. It uses the GPU of its number among\n"
      "the processes of its machine, or host threads.\n"
      "\n"
      "Examples:\n"
      "  warpfold reduce photo.npy --op mean\n"
      "  warpfold reduce particles.npy --field mass --op argmax\n"
      "  warpfold reduce mesh.npy --as float3 --op minimum\n"
      "  warpfold reduce huge.npy --no-baselines --policy par\n"
      "  warpfold reduce huge.npy --gpus 0,1\n"
      "  mpirun -n 4 warpfold reduce huge.npy\n"
      "  python3 -c \"import numpy, sys; numpy.save(sys.stdout.buffer, numpy.arange(9))\" |\n"
      "    warpfold reduce - --op norm");

  set_examples(*explain,
               "  warpfold explain photo.npy --op maximum\n"
               "  warpfold explain particles.npy --field mass --policy par");

  CLI::App* const demo =
      app.add_subcommand("demo", "Reduce each .npy file of a folder, and print a table for each");
  demo->add_option("DIR", ask.folder, "a folder; the first line of NAME.txt describes NAME.npy")
      ->type_name("")
      ->required();
  set_examples(*demo, "  warpfold demo build/demo/data");

  CLI::App* const info =
      app.add_subcommand("info", "Show the GPU, the driver, and the build options");
  set_examples(*info, "  warpfold info");

  CLI::App* const ladder = app.add_subcommand(
      "ladder", "Time every kernel on the GPU, beside its source's figures and CUB");
  add_ladder(*ladder, ask.ladder, kernels.ladder);

  CLI::App* const tune =
      app.add_subcommand("tune", "Measure the best launches for this GPU; write a table");
  add_tune(*tune, ask.tune);

  CLI::App* const coalescing =
      app.add_subcommand("coalescing", "Emulate a kernel; count the memory traffic of each line");
  add_coalescing(*coalescing, ask.coalescing, kernels.coalescing);

  try {
    std::reverse(arguments.begin(), arguments.end());  // the order that CLI11 expects
    app.parse(arguments);
  } catch (const CLI::ParseError& e) {
    std::ostringstream text, ignored;
    if (app.exit(e, text, ignored) == 0) return reply{text.str(), false};
    return wrong(app.get_subcommands().empty() ? without_command(app) : e.what());
  }

  const std::pair<const CLI::App*, command> commands[] = {{reduce, command::reduce},
                                                          {explain, command::explain},
                                                          {demo, command::demo},
                                                          {info, command::info},
                                                          {ladder, command::ladder},
                                                          {tune, command::tune},
                                                          {coalescing, command::coalescing}};
  for (const auto& [app_of_it, what] : commands) {
    if (app_of_it->parsed()) ask.what = what;
  }
  const bool tunes = !ask.tune.out.empty() || ask.tune.most != 0;
  if (ask.tune.show + !ask.tune.check.empty() + tunes > 1) {
    return wrong("--show and --check FILE cannot be combined with each other, --out or --most");
  }
  return ask;
}

}  // namespace warpfold::program
