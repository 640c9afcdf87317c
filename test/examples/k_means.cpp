// k-means: one read of the points finds the nearest center of each, and sums and counts the points
// of each center. k_means_on_gpu.cu does it on a GPU.
#include <array>
#include <cstddef>
#include <iostream>
#include <vector>

#include <warpfold/reduce_by_class.hpp>
#include <warpfold/transform.hpp>

namespace wf = warpfold;

constexpr std::size_t centers = 3;

struct point {
  float x, y;
};

/// The label of a point: the number of its nearest center.
struct nearest {
  std::array<point, centers> at;

  std::size_t operator()(const point& p) const {
    const auto distance = [&](std::size_t k) {
      const float x = p.x - at[k].x, y = p.y - at[k].y;
      return x * x + y * y;
    };
    std::size_t best = 0;
    for (std::size_t k = 1; k < centers; ++k) best = distance(k) < distance(best) ? k : best;
    return best;
  }
};

/// The sum and the number of some points.
struct cluster {
  float x = 0, y = 0;
  int count = 0;
};
struct gather {
  static cluster identity() { return {}; }
  static cluster lift(const point& p) { return {p.x, p.y, 1}; }
  cluster operator()(const cluster& a, const cluster& b) const {
    return {a.x + b.x, a.y + b.y, a.count + b.count};
  }
};

int main() {
  // Points around (0, 0), (100, 0) and (0, 100), in turn.
  std::vector<point> points;
  for (int i = 0; i < 300; ++i) {
    const auto x = static_cast<float>(i % 7 - 3), y = static_cast<float>(i % 5 - 2);
    points.push_back({x + (i % 3 == 1 ? 100.0f : 0.0f), y + (i % 3 == 2 ? 100.0f : 0.0f)});
  }

  nearest label{{{{10, 10}, {60, 20}, {20, 60}}}};
  std::vector<cluster> clusters(centers);
  for (int step = 0; step < 5; ++step) {
    // With wf::par instead of wf::seq, all host threads share the points.
    wf::reduce_by_class(wf::seq, wf::project(points, label), points, centers, gather{}, clusters);
    for (std::size_t k = 0; k < centers; ++k) {
      const cluster& c = clusters[k];
      const auto n = static_cast<float>(c.count);
      if (c.count != 0) label.at[k] = {c.x / n, c.y / n};
    }
  }
  std::vector<std::size_t> labels(points.size());
  wf::transform(wf::seq, points, labels, label);

  bool right = true;
  for (std::size_t k = 0; k < centers; ++k) {
    const auto [x, y] = label.at[k];
    std::cout << clusters[k].count << " points around (" << x << ", " << y << ")\n";
    const float dx = x - (k == 1 ? 100.0f : 0.0f), dy = y - (k == 2 ? 100.0f : 0.0f);
    right = right && clusters[k].count == 100 && dx * dx + dy * dy < 0.01f;
  }
  for (std::size_t i = 0; i < 300; ++i) right = right && labels[i] == i % 3;
  return right ? 0 : 1;
}
