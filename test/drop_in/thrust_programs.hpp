/// @file
/// Ten small programs for Thrust, each a function that returns what the program would print. They
/// are written for `thrust::` and know nothing of this library. A test includes this file in two
/// namespaces, in which `thrust` means Thrust and wf::drop_in::thrust. No include guard.

using output = std::vector<double>;

/// Numbers from 0 to `most - 1`, the same on every machine.
inline std::vector<int> digits(int n, int most) {
  std::vector<int> v;
  unsigned state = 12345;
  for (int i = 0; i < n; ++i) {
    state = state * 1664525u + 1013904223u;
    v.push_back(static_cast<int>((state >> 8) % static_cast<unsigned>(most)));
  }
  return v;
}

// --- sum: of random integers ---------------------------------------------------------------------

inline output sum(int n) {
  const std::vector<int> h = digits(n, 10000);
  const thrust::device_vector<int> d(h.begin(), h.end());
  return {static_cast<double>(thrust::reduce(d.begin(), d.end(), 0, thrust::plus<int>()))};
}

// --- norm: the length of a vector ----------------------------------------------------------------

template <class T>
struct squared {
  __host__ __device__ T operator()(const T& x) const { return x * x; }
};

inline output norm(int n) {
  const std::vector<int> h = digits(n, 5);
  const thrust::device_vector<float> d(h.begin(), h.end());
  const float squares =
      thrust::transform_reduce(d.begin(), d.end(), squared<float>(), 0.0f, thrust::plus<float>());
  return {std::sqrt(squares)};
}

// --- summary_statistics: the first four moments, the least and the greatest number
// -----------------

template <class T>
struct summary {
  T n, least, greatest, mean, m2, m3, m4;

  T variance() const { return m2 / (n - 1); }
  T skewness() const { return std::sqrt(n) * m3 / std::pow(m2, T(1.5)); }
  T kurtosis() const { return n * m4 / (m2 * m2); }
};

template <class T>
struct summary_of_one {
  __host__ __device__ summary<T> operator()(const T& x) const { return {1, x, x, x, 0, 0, 0}; }
};

template <class T>
struct summary_of_both {
  __host__ __device__ summary<T> operator()(const summary<T>& x, const summary<T>& y) const {
    const T n = x.n + y.n;
    const T d = y.mean - x.mean;
    const T step = d / n;
    summary<T> both;
    both.n = n;
    both.least = thrust::min(x.least, y.least);
    both.greatest = thrust::max(x.greatest, y.greatest);
    both.mean = x.mean + step * y.n;
    both.m2 = x.m2 + y.m2 + d * step * x.n * y.n;
    both.m3 = x.m3 + y.m3 + d * step * step * x.n * y.n * (x.n - y.n) +
              3 * step * (x.n * y.m2 - y.n * x.m2);
    both.m4 = x.m4 + y.m4 +
              d * step * step * step * x.n * y.n * (x.n * x.n - x.n * y.n + y.n * y.n) +
              6 * step * step * (x.n * x.n * y.m2 + y.n * y.n * x.m2) +
              4 * step * (x.n * y.m3 - y.n * x.m3);
    return both;
  }
};

inline output summary_statistics(int n) {
  const std::vector<int> h = digits(n, 100);
  const thrust::device_vector<double> d(h.begin(), h.end());
  const summary_of_one<double> one;
  const double front = d[0];
  const summary<double> s =
      thrust::transform_reduce(d.begin() + 1, d.end(), one, one(front), summary_of_both<double>());
  return {s.n, s.least, s.greatest, s.mean, s.variance(), s.skewness(), s.kurtosis()};
}

// --- bounding_box: of points in the plane
// ----------------------------------------------------------

struct point {
  float x, y;
};
struct box {
  point lower, upper;
  box() = default;
  __host__ __device__ explicit box(const point& p) : lower(p), upper(p) {}
  __host__ __device__ box(const point& from, const point& to) : lower(from), upper(to) {}
};
struct box_of_point {
  __host__ __device__ box operator()(const point& p) { return box(p); }
};
struct box_of_both {
  __host__ __device__ box operator()(box a, box b) {  // not const
    const point lower{thrust::min(a.lower.x, b.lower.x), thrust::min(a.lower.y, b.lower.y)};
    const point upper{thrust::max(a.upper.x, b.upper.x), thrust::max(a.upper.y, b.upper.y)};
    return box(lower, upper);
  }
};

inline output bounding_box(int n) {
  const std::vector<int> h = digits(2 * n, 100000);
  thrust::host_vector<point> points;
  for (int i = 0; i < n; ++i) {
    points.push_back({static_cast<float>(h[static_cast<std::size_t>(2 * i)]) / 100,
                      static_cast<float>(h[static_cast<std::size_t>(2 * i + 1)]) / 100});
  }
  const thrust::device_vector<point> d = points;
  const box first(points[0]);
  const box all =
      thrust::transform_reduce(d.begin(), d.end(), box_of_point(), first, box_of_both());
  return {all.lower.x, all.lower.y, all.upper.x, all.upper.y};
}

// --- max_abs_diff: the greatest difference of two vectors
// ------------------------------------------

template <class T>
struct distance_of_two {
  __host__ __device__ T operator()(const T& a, const T& b) { return a < b ? b - a : a - b; }
};

inline output max_abs_diff(int n) {
  const std::vector<int> h = digits(2 * n, 1000);
  const thrust::device_vector<float> a(h.begin(), h.begin() + n);
  const thrust::device_vector<float> b(h.begin() + n, h.end());
  const float init = 0;
  return {thrust::inner_product(a.begin(), a.end(), b.begin(), init, thrust::maximum<float>(),
                                distance_of_two<float>())};
}

// --- minmax: the least and the greatest element in one pass
// ------------------------------------------

template <class T>
struct range_of {
  T least, greatest;
};
template <class T>
struct range_of_one {
  __host__ __device__ range_of<T> operator()(const T& x) const { return {x, x}; }
};
template <class T>
struct range_of_both {
  __host__ __device__ range_of<T> operator()(const range_of<T>& a, const range_of<T>& b) const {
    return {thrust::min(a.least, b.least), thrust::max(a.greatest, b.greatest)};
  }
};

inline output minmax(int n) {
  const std::vector<int> h = digits(n, 90);
  const thrust::device_vector<int> d(h.begin(), h.end());
  const range_of_one<int> one;
  const range_of<int> r =
      thrust::transform_reduce(d.begin(), d.end(), one, one(d[0]), range_of_both<int>());
  return {static_cast<double>(r.least), static_cast<double>(r.greatest)};
}

// --- monte_carlo: pi by random points, each sample by its index
// ------------------------------------

struct estimate_of_pi {
  __host__ __device__ float operator()(unsigned seed) {
    thrust::default_random_engine engine(seed * 2654435761u + 1);
    thrust::uniform_real_distribution<float> between(0, 1);
    float inside = 0;
    const int samples = 64;
    for (int i = 0; i < samples; ++i) {
      const float x = between(engine), y = between(engine);
      if (x * x + y * y <= 1) inside += 1;
    }
    return 4 * inside / samples;
  }
};

inline output monte_carlo(int n) {
  const float sum = thrust::transform_reduce(thrust::counting_iterator<unsigned>(0),
                                             thrust::counting_iterator<unsigned>(unsigned(n)),
                                             estimate_of_pi(), 0.0f, thrust::plus<float>());
  return {sum / static_cast<float>(n)};
}

// --- dot_products_with_zip: of vectors whose components are in separate arrays
// ----------------------

using three = thrust::tuple<float, float, float>;

struct dot_of_three {
  __host__ __device__ float operator()(const three& a, const three& b) const {
    return thrust::get<0>(a) * thrust::get<0>(b) + thrust::get<1>(a) * thrust::get<1>(b) +
           thrust::get<2>(a) * thrust::get<2>(b);
  }
};

inline output dot_products_with_zip(int n) {
  std::vector<thrust::device_vector<float>> parts;
  const std::vector<int> h = digits(6 * n, 50);
  for (int k = 0; k < 6; ++k) parts.emplace_back(h.begin() + k * n, h.begin() + (k + 1) * n);
  thrust::device_vector<float> result(static_cast<std::size_t>(n));
  const auto a = thrust::make_zip_iterator(
      thrust::make_tuple(parts[0].begin(), parts[1].begin(), parts[2].begin()));
  const auto b = thrust::make_zip_iterator(
      thrust::make_tuple(parts[3].begin(), parts[4].begin(), parts[5].begin()));
  thrust::transform(a, a + n, b, result.begin(), dot_of_three());
  output all(static_cast<std::size_t>(n));
  thrust::copy(result.begin(), result.end(), all.begin());
  return all;
}

// --- sum_rows: of a matrix, by keys that are computed from the index
// --------------------------------

struct row_of_index {
  int columns;
  __host__ __device__ int operator()(int i) { return i / columns; }
};

inline output sum_rows(int n) {
  const int columns = 8, rows = n / columns;
  const std::vector<int> h = digits(rows * columns, 90);
  const thrust::device_vector<int> matrix(h.begin(), h.end());
  thrust::device_vector<int> sums(static_cast<std::size_t>(rows)), keys(sums.size());
  const auto first =
      thrust::make_transform_iterator(thrust::counting_iterator<int>(0), row_of_index{columns});
  thrust::reduce_by_key(first, first + rows * columns, matrix.begin(), keys.begin(), sums.begin(),
                        thrust::equal_to<int>(), thrust::plus<int>());
  const thrust::host_vector<int> here = sums;
  return output(here.begin(), here.end());
}

// --- padded_grid_reduction: the extrema of the rows without their padding
// ---------------------------

using extent = thrust::tuple<bool, float, float>;

struct extent_of_cell {
  int width, padded_width;
  __host__ __device__ extent operator()(const thrust::tuple<int, float>& cell) const {
    const bool is_valid = thrust::get<0>(cell) % padded_width < width;
    return extent(is_valid, thrust::get<1>(cell), thrust::get<1>(cell));
  }
};
struct extent_of_both {
  __host__ __device__ extent operator()(const extent& a, const extent& b) const {
    if (!thrust::get<0>(a)) return b;
    if (!thrust::get<0>(b)) return a;
    return extent(true, thrust::min(thrust::get<1>(a), thrust::get<1>(b)),
                  thrust::max(thrust::get<2>(a), thrust::get<2>(b)));
  }
};

inline output padded_grid_reduction(int n) {
  const int width = 10, padded_width = 16, rows = n / padded_width + 1;
  std::vector<int> h = digits(rows * padded_width, 1000);
  for (int i = 0; i < rows * padded_width; ++i) {
    if (i % padded_width >= width) h[static_cast<std::size_t>(i)] = i % 2 == 0 ? -5000 : 5000;
  }
  const thrust::device_vector<float> grid(h.begin(), h.end());
  const auto first = thrust::make_zip_iterator(thrust::counting_iterator<int>(0), grid.begin());
  const extent found = thrust::transform_reduce(first, first + rows * padded_width,
                                                extent_of_cell{width, padded_width},
                                                extent(false, 0, 0), extent_of_both());
  return {thrust::get<0>(found) ? 1.0 : 0.0, thrust::get<1>(found), thrust::get<2>(found)};
}
