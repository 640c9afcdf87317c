// Chooses the table of `warpfold tune` from its measurements.
#include <algorithm>

#include "tune.hpp"

namespace warpfold::program {
namespace {

std::vector<tuning::row> rows_for(std::span<const tuned_size> sizes, double noise) {
  std::vector<tuning::row> rows;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const tuned_size& size = sizes[i];
    const double enough = size.best().seconds * (1 + noise);
    const auto is_good = [&](const tuning::row& launch) {
      const tuned_launch* const measured = size.find(launch);
      return measured != nullptr && measured->seconds <= enough;
    };
    if (!rows.empty() && is_good(rows.back())) continue;
    tuning::row next = is_good(size.own) ? size.own : size.best().launch;
    next.from_bytes = i == 0 ? 0 : (sizes[i - 1].bytes + size.bytes) / 2;
    rows.push_back(next);
  }
  return rows;
}

}  // namespace

bool same_launch(const tuning::row& a, const tuning::row& b) {
  return a.block == b.block && a.blocks == b.blocks && a.cache == b.cache && a.loads == b.loads;
}

const tuned_launch* tuned_size::find(const tuning::row& launch) const {
  for (const tuned_launch& l : launches) {
    if (same_launch(l.launch, launch)) return &l;
  }
  return nullptr;
}

const tuned_launch& tuned_size::best() const {
  return *std::min_element(
      launches.begin(), launches.end(),
      [](const tuned_launch& a, const tuned_launch& b) { return a.seconds < b.seconds; });
}

tuning choose_tuning(const device_info& gpu, std::span<const tuned_size> sizes, double noise) {
  std::vector<tuning::row> rows = rows_for(sizes, noise);
  while (rows.size() > tuning::max_rows) {
    noise += 0.005;
    rows = rows_for(sizes, noise);
    // No noise merges rows whose launches were not measured at the next sizes.
    if (noise > 1) rows.resize(std::min<std::size_t>(rows.size(), tuning::max_rows));
  }
  tuning t{gpu.compute_capability, gpu.multiprocessors, gpu.l2_bytes, 0, {}};
  for (const tuning::row& r : rows) t.rows[t.count++] = r;
  return t;
}

}  // namespace warpfold::program
