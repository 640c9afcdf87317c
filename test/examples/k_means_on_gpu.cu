// k-means on the GPU. A step reads the points once, and the centers stay in GPU memory: no step
// waits for the host. k_means.cpp is the same on host threads.
#include <iostream>
#include <vector>

#include <warpfold/policy/device.hpp>
#include <warpfold/reduce_by_class.hpp>
#include <warpfold/runtime/buffer.hpp>
#include <warpfold/transform.hpp>

namespace wf = warpfold;

namespace {

constexpr int centers = 3;

struct point {
  float x, y;
};

/// The label of a point: the number of its nearest center.
struct nearest {
  const point* centers_at;

  WARPFOLD_HD int operator()(const point& p) const {
    int best = 0;
    float least = 0;
    for (int k = 0; k < centers; ++k) {
      const float x = p.x - centers_at[k].x, y = p.y - centers_at[k].y;
      const float square = x * x + y * y;
      if (k == 0 || square < least) {
        best = k;
        least = square;
      }
    }
    return best;
  }
};

/// The sum and the number of some points.
struct cluster {
  float x, y;
  int count;
};
struct gather {
  WARPFOLD_HD static cluster identity() { return {0, 0, 0}; }
  WARPFOLD_HD static cluster lift(const point& p) { return {p.x, p.y, 1}; }
  WARPFOLD_HD cluster operator()(const cluster& a, const cluster& b) const {
    return {a.x + b.x, a.y + b.y, a.count + b.count};
  }
};

/// The new center of a cluster. One without points keeps its center.
struct middle {
  WARPFOLD_HD point operator()(const cluster& c, const point& before) const {
    const auto n = static_cast<float>(c.count);
    return c.count == 0 ? before : point{c.x / n, c.y / n};
  }
};

}  // namespace

int main() try {
  // Points around (0, 0), (100, 0) and (0, 100), in turn.
  std::vector<point> host(300'000);
  for (std::size_t i = 0; i < host.size(); ++i) {
    const auto x = static_cast<float>(i % 7) - 3, y = static_cast<float>(i % 5) - 2;
    host[i] = {x + (i % 3 == 1 ? 100.0f : 0.0f), y + (i % 3 == 2 ? 100.0f : 0.0f)};
  }
  const wf::device_buffer<point> points(host);
  wf::device_buffer<point> at(std::vector<point>{{10, 10}, {60, 20}, {20, 60}});
  wf::device_buffer<cluster> clusters(centers);

  const nearest label{at.data()};
  for (int step = 0; step < 5; ++step) {
    wf::reduce_by_class_async(wf::device, wf::project(points, label), points, centers, gather{},
                              clusters);
    wf::transform_async(wf::device, clusters, at, at, middle{});
  }
  wf::device_buffer<int> labels(points.size());
  wf::transform(wf::device, points, labels, label);

  bool right = true;
  const std::vector<point> found = at.to_host();
  const std::vector<cluster> sums = clusters.to_host();
  for (int k = 0; k < centers; ++k) {
    const auto [x, y] = found[k];
    std::cout << sums[k].count << " points around (" << x << ", " << y << ")\n";
    const float dx = x - (k == 1 ? 100.0f : 0.0f), dy = y - (k == 2 ? 100.0f : 0.0f);
    right = right && sums[k].count == 100'000 && dx * dx + dy * dy < 0.01f;
  }
  const std::vector<int> of_points = labels.to_host();
  for (std::size_t i = 0; i < of_points.size(); ++i) {
    right = right && of_points[i] == static_cast<int>(i % 3);
  }
  return right ? 0 : 1;
} catch (const wf::no_device& e) {
  std::cerr << e.what() << '\n';
  return 77;
}
