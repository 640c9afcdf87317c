#include "report.hpp"

#include <sys/utsname.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include <warpfold/core/config.hpp>

#include "printable.hpp"
#include "text.hpp"

namespace warpfold::program {
namespace {

std::string shape_text(const std::vector<std::size_t>& shape) {
  std::string text = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
  }
  return text + (shape.size() == 1 ? ",)" : ")");
}

std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  utsname names{};
  return uname(&names) == 0 ? names.machine : "unknown processor";
}

std::string value_line(op o, const value& v) {
  return bold(std::string(name_of(o)) + " = " + to_string(v)) + "  (" + std::string(type_name(v)) +
         ")\n";
}

}  // namespace

std::string describe_input(const npy_file& file, const std::string& field, const array& input) {
  const npy_header& h = file.header();
  std::string text = bold(printable(file.path())) + ": ";
  if (!field.empty()) text += "field " + printable(field) + ", ";
  text += std::string(name_of(input.type)) + ", shape " + shape_text(h.shape) + ", " +
          with_commas(input.count) + (input.count == 1 ? " element, " : " elements, ") +
          bytes_text(static_cast<double>(input.bytes()));
  if (!input.is_contiguous()) text += ", " + std::to_string(input.stride) + " bytes apart";
  return text;
}

std::string describe_reduction(const bench& b, op o, const std::vector<measurement>& all) {
  const measurement& first = all.front();
  const array& a = b.input();
  std::string text = value_line(o, first.total);
  if (first.result == measurement::outcome::wrong) {
    text += red("WRONG: the value differs from the expected one by more than rounding") + "\n";
  }
  text += "by " + std::string(first.how->name) + ", kernel " + first.kernel + ": " +
          time_text(first.seconds) + ", " + three_digits(first.gigabytes_per_second(a)) +
          " GB/s (median of " + std::to_string(first.calls) + ")";
  if (!first.note.empty()) text += ", " + first.note;
  text += "\n";
  if (b.on_device()) {
    const double rate =
        b.copy_seconds() > 0 ? static_cast<double>(a.bytes()) / b.copy_seconds() / 1e9 : 0;
    text += b.gpus() == 1 ? "copy to the GPU" : "copy to " + std::to_string(b.gpus()) + " GPUs";
    text += ", not included above: " + time_text(b.copy_seconds()) + ", " + three_digits(rate) +
            " GB/s\n";
  }
  if (all.size() == 1) return text;

  using enum table::align;
  table t({{"policy", left},
           {"kernel", left},
           {"time", right},
           {"GB/s", right},
           {"speed", right},
           {"", left}});
  for (const measurement& m : all) {
    const std::string name(m.how->name);
    switch (m.result) {
      case measurement::outcome::timed:
        t.add({name, m.kernel, time_text(m.seconds), three_digits(m.gigabytes_per_second(a)),
               ratio_text(first.seconds / m.seconds)},
              &m == &first ? table::style::bold : table::style::plain);
        break;
      case measurement::outcome::wrong:
        t.add({name, m.kernel, "", "", "WRONG", "its value is " + to_string(m.total)},
              table::style::red);
        break;
      case measurement::outcome::not_built:
        t.add({name, m.kernel, "", "", "", "not built for this type and op"}, table::style::faint);
        break;
      case measurement::outcome::failed:
        t.add({name, m.kernel, "", "", "FAILED", m.note}, table::style::red);
        break;
    }
  }
  return text + "\n" + t.text();
}

std::string describe_processes(const array& whole, op o, const measurement& m,
                               std::string_view policy, int processes) {
  std::string text = value_line(o, m.total);
  text += "by " + std::to_string(processes) + (processes == 1 ? " process" : " processes") +
          " with " + std::string(policy) + ": " + time_text(m.seconds) + ", " +
          three_digits(m.gigabytes_per_second(whole)) + " GB/s";
  if (m.calls > 1) text += " (median of " + std::to_string(m.calls) + ")";
  if (!m.note.empty()) text += ", " + m.note;
  return text + "\n";
}

std::string describe_machine() {
  const gpu_info gpu = query_gpu();
  std::string policies, baselines;
  const auto add = [&](std::span<const engine> some) {
    for (const engine& e : some) {
      std::string& list = e.is_baseline ? baselines : policies;
      list += (list.empty() ? "" : ", ") + std::string(e.name);
    }
  };
  add(device_engines());
  add(host_engines());

  table t({{"warpfold", table::align::left},
           {std::to_string(WARPFOLD_VERSION_MAJOR) + "." + std::to_string(WARPFOLD_VERSION_MINOR) +
                "." + std::to_string(WARPFOLD_VERSION_PATCH),
            table::align::left}});
  if (gpu.usable) {
    t.add({"GPU", gpu.name});
    t.add({"", "compute capability " + gpu.capability + ", " + std::to_string(gpu.multiprocessors) +
                   " multiprocessors, " + bytes_text(static_cast<double>(gpu.memory_bytes)) +
                   " of memory"});
  } else {
    t.add({"GPU", "not usable: " + gpu.name});
  }
  t.add({"CUDA", gpu.built_with.empty() ? "not built in" : "built with " + gpu.built_with});
  t.add({"driver", gpu.driver.empty() ? "none" : "for CUDA " + gpu.driver});
  t.add({"MPI", WARPFOLD_PROGRAM_MPI ? "built in" : "not built in"});
  t.add({"processor",
         processor() + ", " + std::to_string(std::thread::hardware_concurrency()) + " threads"});
  t.add({"policies", policies});
  t.add({"baselines", baselines.empty() ? "none" : baselines});
  return t.text(0);
}

}  // namespace warpfold::program
