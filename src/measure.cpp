#include "measure.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "text.hpp"

namespace warpfold::program {
namespace {

/// The program shows progress after each piece, and prefetches the next piece of the file.
constexpr std::size_t piece_bytes = std::size_t{128} << 20;

template <class F>
void for_each_piece(const npy_file& file, const array& a, const F& f) {
  const std::size_t most = std::max<std::size_t>(1, piece_bytes / a.stride);
  for (std::size_t first = 0; first < a.count; first += most) {
    const std::size_t n = std::min(most, a.count - first);
    file.will_need(a.data + (first + n) * a.stride, most * a.stride);
    f(a.piece(first, n));
  }
}

std::size_t physical_memory() {
  return static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

// --- is a value right? ---------------------------------------------------------------------------

struct components {
  double x[3] = {};
  int count = 0;
  double epsilon = 0;
};
struct split {
  components operator()(float f) const { return {{f}, 1, std::numeric_limits<float>::epsilon()}; }
  components operator()(double d) const { return {{d}, 1, std::numeric_limits<double>::epsilon()}; }
  template <class T>
  components operator()(const std::complex<T>& z) const {
    return {{z.real(), z.imag()}, 2, std::numeric_limits<T>::epsilon()};
  }
  components operator()(const vec3& v) const {
    return {{v.x, v.y, v.z}, 3, std::numeric_limits<float>::epsilon()};
  }
  components operator()(const place&) const { return {}; }
  components operator()(bool b) const { return {{b ? 1.0 : 0.0}, 1, 0}; }
  components operator()(std::int64_t) const { return {}; }
  components operator()(std::uint64_t) const { return {}; }
};

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

bool same_place(const place& a, const place& b) {
  const auto is_nan = [](const place& p) {
    return std::visit([](auto x) { return std::isnan(static_cast<double>(x)); }, p.element);
  };
  return a.index == b.index && (a.element == b.element || (is_nan(a) && is_nan(b)));
}

/// The expected result of one reduction.
struct expectation {
  std::optional<value> exact;
  std::optional<sum_estimate> sum;  // of floating-point numbers
  std::optional<value> product;     // of floating-point numbers: the result of another policy
  std::optional<value> rounded;     // a mean or norm: the result of wf::seq
  double size = 0;                  // of the numbers whose rounding it has
  double terms = 0;

  bool met_by(const value& v) const {
    const components c = std::visit(split{}, v);
    // Rounding errors add up like a random walk, or grow with the logarithm in a tree.
    const double rounding = c.epsilon * (8 + std::sqrt(terms));
    if (rounded) {
      // Accumulated in double, where wf::seq has up to one rounding error for each element.
      const components e = std::visit(split{}, *rounded);
      const double most = 8 * c.epsilon + terms * std::numeric_limits<double>::epsilon();
      return same(c.x[0], e.x[0]) || !(std::fabs(c.x[0] - e.x[0]) > most * size);
    }
    if (exact) {
      if (const auto* const p = std::get_if<place>(&v))
        return same_place(*p, std::get<place>(*exact));
      if (c.count == 0) return v == *exact;
      const components e = std::visit(split{}, *exact);
      for (int i = 0; i < c.count; ++i) {
        if (!same(c.x[i], e.x[i])) return false;
      }
    } else if (sum) {
      for (int i = 0; i < c.count; ++i) {
        const double allowed = rounding * sum->magnitude[i];
        if (!std::isfinite(sum->magnitude[i]))
          continue;  // the order decides between infinity and NaN
        const double overflow = c.epsilon > 1e-10 ? double{std::numeric_limits<float>::max()}
                                                  : std::numeric_limits<double>::max();
        if (sum->magnitude[i] > overflow) continue;  // some order of the terms overflows
        if (!(std::fabs(c.x[i] - sum->sum[i]) <= allowed)) return false;
      }
    } else if (product) {
      const components e = std::visit(split{}, *product);
      double size = 0, distance = 0;
      for (int i = 0; i < c.count; ++i) {
        // If a partial product overflows or underflows, the result depends on the order.
        if (!std::isnormal(c.x[i]) || !std::isnormal(e.x[i])) return true;
        // The error of each part of a complex product is relative to the magnitude of the product.
        size = c.count == 2 ? std::hypot(e.x[0], e.x[1]) : std::fabs(e.x[i]);
        distance = std::fabs(c.x[i] - e.x[i]);
        if (distance > 4 * rounding * size) return false;
      }
    }
    return true;
  }
};

/// The magnitude that the rounding errors of a mean or norm are relative to.
double size_of_rounding(op o, const npy_file& file, const array& a, const value& result) {
  if (o == op::norm) return std::visit(split{}, result).x[0];
  if (!is_floating(a.type)) return std::ldexp(1, 8 * static_cast<int>(bytes_of(a.type)));
  sum_estimate estimate;
  for_each_piece(file, a, [&](const array& p) { add_to_estimate(p, estimate); });
  return estimate.magnitude[0] / static_cast<double>(a.count);
}

}  // namespace

bench::bench(const npy_file& file, const array& input, policy_choice choice)
    : file_(file), input_(input), is_automatic_(choice == policy_choice::automatic) {
  const auto choose_host = [&](std::string_view name) {
    for (const engine& e : host_engines()) {
      if (e.name == name) engines_.push_back(&e);
    }
    if (engines_.empty()) {
      throw std::runtime_error("this program was built without " + std::string(name) +
                               " (oneTBB was not found); use --policy seq");
    }
  };

  if (choice == policy_choice::seq) choose_host("wf::seq");
  if (choice == policy_choice::par) choose_host("wf::par");
  if (choice == policy_choice::automatic || choice == policy_choice::device) {
    const gpu_info gpu = query_gpu();
    // Leaves room for scratch memory.
    const bool fits =
        static_cast<double>(input.bytes()) < 0.9 * static_cast<double>(gpu.free_bytes);
    if (gpu.usable && fits) {
      progress_line progress("copying to the GPU", input.bytes());
      const double start = now();
      device_.emplace(input, [&](std::size_t bytes) { progress.add(bytes); });
      copy_seconds_ = now() - start;
      add_engines(device_engines());
    } else {
      std::string why = "no usable GPU (" + gpu.name + ")";
      if (gpu.usable) {
        why = "the array (" + bytes_text(static_cast<double>(input.bytes())) +
              ") is larger than the GPU's free memory (" +
              bytes_text(static_cast<double>(gpu.free_bytes)) + ")";
      }
      if (choice == policy_choice::device) {
        throw std::runtime_error(why + "; omit --policy to run on host threads");
      }
      remark_ = why + ": running on host threads";
    }
  }
  add_engines(host_engines());
}

bench::bench(const npy_file& file, const array& input, const std::vector<int>& gpus)
    : file_(file), input_(input) {
  progress_line progress("copying to the GPUs", input.bytes());
  const double start = now();
  devices_.emplace(input, gpus, [&](std::size_t bytes) { progress.add(bytes); });
  copy_seconds_ = now() - start;
  engines_.push_back(&across_engine());
  add_engines(host_engines());
}

void bench::add_engines(std::span<const engine> some) {
  for (const engine& e : some) {
    if (std::find(engines_.begin(), engines_.end(), &e) == engines_.end()) engines_.push_back(&e);
  }
}

const array& bench::source_of(const engine& how) const {
  if (devices_ && &how == &across_engine()) return devices_->on_devices();
  const std::span<const engine> device = device_engines();
  const bool on_device =
      std::any_of(device.begin(), device.end(), [&](const engine& e) { return &e == &how; });
  return on_device ? device_->on_device() : input_;
}

std::vector<const engine*> bench::engines_for(op o) const {
  std::vector<const engine*> all = engines_;
  const auto is_built = [&](const engine* e) { return e->built_for(input_, o); };
  if (is_automatic_ && !is_built(all.front())) {
    std::stable_partition(all.begin(), all.end(), is_built);
  }
  return all;
}

std::string bench::explain(op o) const {
  const engine& how = *engines_for(o).front();
  return how.explain(source_of(how), o);
}

value bench::pass(const engine& how, op o) const {
  std::optional<value> total;
  const array& source = source_of(how);
  if (&source != &input_ || input_.count == 0 || takes_whole_arrays(o)) {
    how.fold(source, o, total);
    return *total;
  }
  progress_line progress(std::string(how.name), input_.bytes());
  for_each_piece(file_, input_, [&](const array& piece) {
    how.fold(piece, o, total);
    progress.add(piece.bytes());
  });
  return *total;
}

value bench::fold(op o) const {
  const engine& how = *engines_for(o).front();
  require_built(how, o);
  return pass(how, o);
}

void bench::require_built(const engine& how, op o) const {
  if (how.built_for(input_, o)) return;
  throw std::runtime_error(std::string(how.name) + " is not built for " + std::string(name_of(o)) +
                           " on " + std::string(name_of(input_.type)) +
                           (devices_ ? "; omit --gpus" : ""));
}

measurement bench::measure(const engine& how, op o, const measure_options& options,
                           bool first) const {
  measurement m;
  m.how = &how;
  m.kernel = how.kernel(source_of(how), o);
  const auto timed_pass = [&] {
    const double start = now();
    m.total = pass(how, o);
    return now() - start;
  };

  // The first pass loads the file into memory and starts the threads. Its time counts only if the
  // file does not stay in memory, or if the pass took long and nothing is compared with it.
  const double warm_up = timed_pass();
  const bool stays = input_.count * input_.stride < physical_memory() / 2;
  const bool counts = first ? !stays || (!options.baselines && warm_up > 2) : warm_up > 0.2;
  std::vector<double> times;
  if (counts && options.repeat == 0) {
    times.push_back(warm_up);
    if (first) m.note = "includes reading the file";
  }
  double spent = counts ? warm_up : 0;
  const auto goes_on = [&] {
    const auto n = static_cast<int>(times.size());
    if (options.repeat > 0) return n < options.repeat;
    return n == 0 || (n < 1000 && spent < options.budget);
  };
  while (goes_on()) {
    times.push_back(timed_pass());
    spent += times.back();
  }
  m.calls = static_cast<int>(times.size());
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  m.seconds = *middle;
  m.result = measurement::outcome::timed;
  return m;
}

std::vector<measurement> bench::run(op o, const measure_options& options) const {
  std::vector<measurement> all;
  for (const engine* how : engines_for(o)) {
    const bool first = all.empty();
    if (!first && !options.baselines) break;
    measurement m;
    m.how = how;
    const bool built = how->built_for(input_, o);
    // A device engine reads the packed copy, so the stride of a field does not matter.
    if (built) {
      try {
        m = measure(*how, o, options, first);
      } catch (const std::exception& e) {
        if (first) throw;
        m.result = measurement::outcome::failed;
        m.note = e.what();
      }
    } else if (first) {
      require_built(*how, o);
    }
    all.push_back(std::move(m));
  }
  if (!options.baselines) {
    all.front().total = presented(all.front().total, input_.type, o);
    return all;
  }

  const auto total_of_seq = [&] {
    const auto seq = std::find_if(all.begin(), all.end(),
                                  [](const measurement& m) { return m.how->name == "wf::seq"; });
    return seq->total;
  };
  expectation expected;
  expected.terms = static_cast<double>(input_.count);
  const bool rounds = is_floating(input_.type) && (o == op::plus || o == op::multiplies);
  if (rounds && o == op::plus) {
    expected.sum.emplace();
    for_each_piece(file_, input_, [&](const array& p) { add_to_estimate(p, *expected.sum); });
  } else if (rounds) {
    expected.product = all.front().total;
  } else if (o == op::mean || o == op::norm) {
    expected.rounded = total_of_seq();
    expected.size = size_of_rounding(o, file_, input_, *expected.rounded);
  } else {
    expected.exact = total_of_seq();
  }
  for (measurement& m : all) {
    if (m.result == measurement::outcome::timed && !expected.met_by(m.total)) {
      m.result = measurement::outcome::wrong;
    }
    if (m.calls != 0) m.total = presented(m.total, input_.type, o);
  }
  return all;
}

}  // namespace warpfold::program
