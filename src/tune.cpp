#include "tune.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <stdexcept>

#include <warpfold/core/error.hpp>
#include <warpfold/tuning_text.hpp>

#include "engine.hpp"
#include "printable.hpp"
#include "regular_file.hpp"
#include "text.hpp"

namespace warpfold::program {
namespace {

/// "1.5 MB", in powers of 1024.
std::string size_text(std::size_t bytes) {
  const char* const units[] = {"B", "KB", "MB", "GB"};
  auto x = static_cast<double>(bytes);
  int u = 0;
  while (x >= 1024 && u < 3) x /= 1024, ++u;
  char text[32];
  std::snprintf(text, sizeof text, "%.4g %s", x, units[u]);
  return text;
}

/// What a table depends on, of an H100.
constexpr device_info h100{.multiprocessors = 132,
                           .compute_capability = 90,
                           .threads_per_multiprocessor = 2048,
                           .l2_bytes = std::size_t{50} << 20};

std::string launch_text(const tuning::row& r) {
  return std::to_string(r.blocks) + " x " + std::to_string(r.block) + " " +
         std::string(name_of(r.cache)) + (r.loads == loading::ahead ? " ahead" : "");
}

/// Powers of two, and the sizes halfway between.
std::vector<std::size_t> sizes_up_to(std::size_t most) {
  std::vector<std::size_t> sizes;
  for (std::size_t n = least_tuned_bytes; n <= most; n *= 2) {
    sizes.push_back(n);
    if (n + n / 2 <= most) sizes.push_back(n + n / 2);
  }
  return sizes;
}

/// The launches to time for a size, the built-in choice first. The caching matters only if part of
/// the data fits into the L2 cache, and only from compute capability 8.0 on.
std::vector<tuning::row> launches_for(std::size_t bytes, const device_info& gpu) {
  std::vector<caching> caches{caching::keep};
  if (gpu.compute_capability >= 80 && bytes >= gpu.l2_bytes / 5 && bytes <= gpu.l2_bytes * 6) {
    caches.insert(caches.end(), {caching::stream_half, caching::stream_three_quarters,
                                 caching::stream_seven_eighths, caching::stream});
  }
  std::vector<tuning::row> all{tuning::row_for(bytes, gpu)};
  const auto add = [&](const tuning::row& r) {
    if (!same_launch(r, all.front())) all.push_back(r);
  };
  for (const unsigned block : {256u, 512u, 1024u}) {
    for (const unsigned blocks : {1u, 2u, 4u, 8u}) {
      for (const caching cache : caches) add({0, block, blocks, cache, loading::direct});
    }
    // Bulk copies use one block per multiprocessor. The row's number of blocks applies to
    // reductions that bulk copies do not support.
    if (gpu.compute_capability >= 90 && bytes >= gpu.l2_bytes) {
      for (const caching cache : caches) {
        add({0, block, all.front().blocks, cache, loading::ahead});
      }
    }
  }
  return all;
}

// --- measuring -----------------------------------------------------------------------------------

/// The samples that select the launches for a closer look, and those that decide between them.
constexpr int first_samples = 5;
constexpr int last_samples = 21;
/// A slow GPU takes fewer samples, but at least `least_samples`.
constexpr double seconds_a_look = 0.8;
constexpr int least_samples = 3;
constexpr std::size_t closer_looks = 8;

double median(std::vector<double>& v) {
  const auto middle = v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2);
  std::nth_element(v.begin(), middle, v.end());
  return *middle;
}

class measuring {
 public:
  measuring(const device_info& info, std::size_t most) : info_(info), gpu_(most) {
    status_.show("the GPU's clock");
    // The clock rises under load.
    for (const double start = now(); now() - start < 0.3;) {
      (void)gpu_.seconds(tuned_call::sum_of_floats, gpu_.bytes(), {}, true);
    }
  }

  std::vector<tuned_size> all_sizes() {
    std::vector<tuned_size> all;
    const std::vector<std::size_t> sizes = sizes_up_to(gpu_.bytes());
    for (const std::size_t bytes : sizes) {
      what_ = size_text(bytes) + ", size " + std::to_string(all.size() + 1) + " of " +
              std::to_string(sizes.size());
      all.push_back(one_size(bytes, all.empty() ? nullptr : &all.back()));
    }
    status_.clear();
    return all;
  }

 private:
  tuned_size one_size(std::size_t bytes, const tuned_size* before) {
    tuned_size size{bytes, tuning::row_for(bytes, info_), {}};
    for (const tuning::row& r : launches_for(bytes, info_)) size.launches.push_back({r, 0});
    std::vector<tuned_launch*> some;
    for (tuned_launch& l : size.launches) some.push_back(&l);
    look_at(some, bytes, first_samples);

    // Times the fastest launches again, with the built-in one (the first) and the best of the
    // previous size, whose row may continue.
    std::sort(some.begin(), some.end(),
              [](const tuned_launch* a, const tuned_launch* b) { return a->seconds < b->seconds; });
    const auto is_wanted = [&](const tuned_launch* l) {
      return l == &size.launches.front() ||
             (before != nullptr && same_launch(l->launch, before->best().launch));
    };
    std::vector<tuned_launch*> few;
    for (std::size_t i = 0; i < some.size(); ++i) {
      if (i < closer_looks || is_wanted(some[i])) few.push_back(some[i]);
    }
    look_at(few, bytes, last_samples);
    return size;
  }

  // Times the launches in turn, several times, so that slow changes of the GPU affect all of them
  // alike.
  //
  // The result for a launch is the geometric mean over the three ops, because one launch serves
  // every op of a size. In this mean all ops have the same weight, and a loss of 20 % in one op
  // outweighs gains of 5 % in the two others. If the data fit into the L2 cache, half of the calls
  // run with a warm cache, so that a launch cannot win at the cost of the next call.
  void look_at(const std::vector<tuned_launch*>& some, std::size_t bytes, int samples) {
    const int kinds = bytes <= info_.l2_bytes ? 2 * tuned_calls : tuned_calls;
    const auto each = static_cast<std::size_t>(kinds);
    std::vector<std::vector<double>> times(some.size() * each);
    const double start = now();
    for (int s = 0; s < samples; ++s) {
      if (s >= least_samples && now() - start > seconds_a_look) break;
      for (std::size_t i = 0; i < some.size(); ++i) {
        status_.show(what_);
        for (int k = 0; k < kinds; ++k) {
          times[i * each + static_cast<std::size_t>(k)].push_back(gpu_.seconds(
              static_cast<tuned_call>(k % tuned_calls), bytes, some[i]->launch, k < tuned_calls));
        }
      }
    }
    for (std::size_t i = 0; i < some.size(); ++i) {
      double logarithms = 0;
      for (std::size_t k = 0; k < each; ++k) logarithms += std::log(median(times[i * each + k]));
      some[i]->seconds = std::exp(logarithms / kinds);
    }
  }

  device_info info_;
  status_line status_;
  std::string what_;
  tune_gpu gpu_;
};

// --- printing -----------------------------------------------------------------------------------

std::string comparison(const std::vector<tuned_size>& sizes, const tuning& tuned) {
  using enum table::align;
  table t({{"size", right},
           {"built-in", left},
           {"GB/s", right},
           {"tuned", left},
           {"GB/s", right},
           {"speed", right}});
  for (const tuned_size& size : sizes) {
    const tuned_launch* const own = size.find(size.own);
    const tuned_launch* const now = size.find(tuned.row_of(size.bytes));
    const auto speed = [&](const tuned_launch* l) {
      return l == nullptr ? std::string()
                          : three_digits(static_cast<double>(size.bytes) / l->seconds / 1e9);
    };
    t.add({size_text(size.bytes), launch_text(size.own), speed(own),
           launch_text(tuned.row_of(size.bytes)), speed(now),
           own != nullptr && now != nullptr ? ratio_text(own->seconds / now->seconds) : ""});
  }
  return t.text();
}

void write(const std::string& path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  file.close();
  if (!file) throw std::runtime_error(printable(path) + ": cannot write the file");
}

int check_file(const std::string& path) {
  const std::string name = printable(path);
  constexpr std::size_t max_bytes = 64 * 1024;  // the limit of `read_tuning`
  const std::string text = regular_file(path).read(max_bytes + 1);
  if (text.size() > max_bytes) {
    throw invalid_tuning("warpfold: ", name.c_str(),
                         ": the file is longer than 64 KB, so it is not a tuning");
  }
  const tuning t = tuning_from_text(text, name.c_str());
  const gpu_info gpu = query_gpu();
  if (!gpu.usable) {
    std::printf(
        "%s: a tuning of %d rows for compute capability %d.%d, %d multiprocessors and %zu bytes of "
        "L2 cache. Its GPU cannot be checked without a usable GPU: %s\n",
        name.c_str(), t.count, t.compute_capability / 10, t.compute_capability % 10,
        t.multiprocessors, t.l2_bytes, gpu.name.c_str());
    return 0;
  }
  try {
    t.check_for(tuned_device());
  } catch (const invalid_tuning& e) {
    throw invalid_tuning("warpfold: ", name.c_str(), ": ", e.what() + std::strlen("warpfold: "));
  }
  std::printf("%s: a tuning of %d rows, for this GPU (%s)\n", name.c_str(), t.count,
              gpu.name.c_str());
  return 0;
}

}  // namespace

int run_tune(const tune_options& options) {
  if (!options.check.empty()) return check_file(options.check);
  const gpu_info gpu = query_gpu();
  if (!gpu.usable && options.show) {
    std::printf("# no usable GPU (%s): the built-in table for an H100\n%s", gpu.name.c_str(),
                to_text(tuning::of(h100)).c_str());
    return 0;
  }
  if (!gpu.usable) {
    throw no_device("warpfold: tune needs a usable GPU: ", gpu.name.c_str());
  }
  const device_info info = tuned_device();
  const bool is_measured = tuning::source_of(info) == tuning_source::measured;
  if (options.show) {
    std::printf("# %s: the built-in table, %s\n%s", gpu.name.c_str(),
                is_measured ? "measured on this kind of GPU" : "computed from its properties",
                to_text(tuning::of(info)).c_str());
    return 0;
  }
  // Fails before the measurement if the file cannot be written. Keeps the content of the file.
  if (!options.out.empty() && !std::ofstream(options.out, std::ios::app)) {
    throw std::runtime_error(printable(options.out) + ": cannot write the file");
  }

  std::printf("%s\n\n", bold(gpu.name).c_str());
  std::fflush(stdout);
  const std::size_t most = options.most != 0 ? options.most : most_tuned_bytes;
  const std::vector<tuned_size> sizes = measuring(info, most).all_sizes();
  const tuning tuned = choose_tuning(info, sizes);
  std::printf("%s\n", comparison(sizes, tuned).c_str());
  for (const char* const note :
       {"A launch: blocks per multiprocessor x threads per block, the data "
        "that the L2 cache keeps, and",
        "\"ahead\" if bulk copies run ahead of the threads.",
        "GB/s: geometric mean of sums of float, minima of double and "
        "products of int, with a cold cache;",
        "for sizes that fit into the L2 cache, also with a warm cache. A "
        "row continues to the next size if",
        "its launch is within 1.5 % of the best."}) {
    std::printf("%s\n", faint(note).c_str());
  }
  const std::string text = "# " + gpu.name + ", measured by `warpfold tune`\n" + to_text(tuned);
  if (options.out.empty()) {
    std::printf("\n%s\n", text.c_str());
  } else {
    write(options.out, text);
    std::printf("\nThe tuning is written to %s.\n", printable(options.out).c_str());
  }
  std::printf(
      "To use the tuning: #include <warpfold/tuning_text.hpp>, and "
      "wf::device.with(wf::read_tuning(\"%s\"))\n",
      options.out.empty() ? "FILE" : printable(options.out).c_str());
  if (!is_measured) {
    std::printf(
        "Nobody has measured this kind of GPU yet. Please send the table in; docs/tuning.md says "
        "how.\n");
  }
  return 0;
}

}  // namespace warpfold::program
