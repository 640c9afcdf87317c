// The part of `warpfold demo` for a machine without a GPU: what the emulation shows.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <vector>

#include "coalescing.hpp"
#include "printable.hpp"
#include "text.hpp"

namespace warpfold::program {
namespace {

using emulation::traffic;

/// The work of one kernel, in units that a warp issues or a memory serves one after the other.
struct work {
  struct part {
    std::string_view name;
    std::string_view color;
    std::uint64_t amount;
  };
  std::string kernel;
  std::vector<part> parts;

  std::uint64_t total() const {
    std::uint64_t sum = 0;
    for (const part& p : parts) sum += p.amount;
    return sum;
  }
};

work work_of(std::string_view kernel) {
  coalescing_options options;
  options.kernel = kernel;
  std::uint64_t requests = 0, atomics = 0, passes = 0, conflicts = 0, barriers = 0, shuffles = 0;
  for (const emulation::launch_counts& l : run_emulated(options).launches) {
    requests += l.total(traffic::global_load).requests + l.total(traffic::global_store).requests +
                l.total(traffic::bulk_copy).requests;
    atomics += l.total(traffic::global_atomic).lanes;
    for (const traffic t : {traffic::shared_load, traffic::shared_store}) {
      const auto s = l.total(t);
      conflicts += s.bank_conflicts;
      passes += s.wavefronts - s.bank_conflicts;
    }
    barriers += l.barriers + l.warp_syncs;
    shuffles += l.shuffles + l.votes + l.reductions;
  }
  return {std::string(kernel),
          {{"global memory", "#4878a8", requests},
           {"atomics", "#8a5a9e", atomics},
           {"shared memory", "#e0a030", passes},
           {"bank conflicts", "#c03830", conflicts},
           {"barriers", "#808080", barriers},
           {"shuffles", "#50a060", shuffles}}};
}

/// Bars, as long as the work of each kernel.
std::string svg_of(const std::vector<work>& all, std::size_t elements) {
  constexpr int left = 190, width = 560, height = 20, top = 62;
  std::uint64_t longest = 1;
  for (const work& w : all) longest = std::max(longest, w.total());
  const int bottom = top + height * static_cast<int>(all.size());
  const auto text = [](int x, int y, const std::string& what, const char* anchor = "start") {
    return "<text x='" + std::to_string(x) + "' y='" + std::to_string(y) + "' text-anchor='" +
           anchor + "'>" + what + "</text>\n";
  };
  std::string svg = "<svg xmlns='http://www.w3.org/2000/svg' width='" +
                    std::to_string(left + width + 90) + "' height='" + std::to_string(bottom + 20) +
                    "' font-family='sans-serif' font-size='12'>\n"
                    "<rect width='100%' height='100%' fill='white'/>\n" +
                    text(16, 22,
                         "The sum of " + with_commas(elements) +
                             " floats by each kernel, emulated: requests, passes and "
                             "synchronizations of all warps");
  int x = 16;
  for (const work::part& p : all.front().parts) {
    svg += "<rect x='" + std::to_string(x) + "' y='34' width='12' height='12' fill='" +
           std::string(p.color) + "'/>\n" + text(x + 17, 45, std::string(p.name));
    x += 125;
  }
  int y = top;
  for (const work& w : all) {
    svg += text(left - 8, y + 14, w.kernel, "end");
    double at = left;
    for (const work::part& p : w.parts) {
      const double wide = width * static_cast<double>(p.amount) / static_cast<double>(longest);
      svg += "<rect x='" + std::to_string(at) + "' y='" + std::to_string(y + 3) + "' width='" +
             std::to_string(wide) + "' height='14' fill='" + std::string(p.color) + "'/>\n";
      at += wide;
    }
    svg += text(static_cast<int>(at) + 6, y + 14, with_commas(w.total()));
    y += height;
  }
  return svg + "</svg>\n";
}

}  // namespace

void show_emulation(const std::string& picture) {
  const auto kernels = emulated_kernels();
  if (kernels.empty()) return;
  std::printf("\n%s: the library's kernels also run without a GPU, as on an H100\n",
              bold("emulation").c_str());
  const found_race race = run_racing_kernel();
  std::printf("\n  A kernel with a race:\n%s  The emulation finds it:\n    %s\n",
              faint(std::string(race.code)).c_str(), race.error.c_str());

  const std::string kernel = "sequential_addressing";
  std::printf(
      "\n  Coalescing: global loads of %s for each layout of 4,096 floats. A request\n"
      "  of a warp fetches sectors of 32 bytes; `warpfold coalescing` shows each line of a "
      "kernel.\n"
      "%s",
      kernel.c_str(), layouts_text(kernel).c_str());

  std::vector<work> all;
  for (const std::string_view name : kernels) all.push_back(work_of(name));
  std::ofstream file(picture);
  file << svg_of(all, coalescing_options{}.count);
  file.close();
  if (!file) throw std::runtime_error(printable(picture) + ": cannot write the file");
  std::printf(
      "\n  The ladder: a picture of the work of %zu kernels. Open it in a browser:\n    "
      "file://%s\n",
      all.size(),
      printable(std::filesystem::absolute(picture).lexically_normal().string()).c_str());
}

}  // namespace warpfold::program
