/// @file
/// What a call would do, without doing it: `explain(policy, range, op)`.
#pragma once

#include <cstddef>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <iosfwd>

#include <warpfold/reduce.hpp>
#include <warpfold/runtime/spin_lock.hpp>

#if defined(__CUDACC__)
#include <warpfold/runtime/resource_block.hpp>
#endif

namespace warpfold {

namespace detail {

#if defined(__CUDACC__)
/// A GPU's name, read from the driver once and kept.
inline const char* device_name(int id) {
  static runtime::spin_lock in_use;
  static char names[runtime::max_devices][sizeof(cudaDeviceProp::name)];
  const runtime::spin_guard guard(in_use);
  if (names[id][0] == '\0') {
    cudaDeviceProp properties{};
    runtime::check(cudaGetDeviceProperties(&properties, id), "cudaGetDeviceProperties");
    std::memcpy(names[id], properties.name, sizeof properties.name);
  }
  return names[id];
}
#endif

}  // namespace detail

/// How one call runs. Numbers that do not apply (registers on the host, say) are 0.
struct plan {
  /// Text that lives as long as the program. Not a std::string: with <string> and <ostream> this file took nvcc 1.9 s beyond
  /// an empty one.
  class name {
   public:
    constexpr name() = default;
    constexpr name(const char* text) : text_(text) {}

    constexpr const char* c_str() const { return text_; }
    constexpr bool empty() const { return *text_ == '\0'; }

    friend bool operator==(const name& a, const name& b) { return a == b.text_; }
    friend bool operator==(const name& a, const char* b) { return std::strcmp(a.text_, b) == 0; }
    /// The same of a std::string.
    template <class Text>
      requires requires(const Text& b) { b.compare(b.c_str()); }
    friend bool operator==(const name& a, const Text& b) {
      return b.compare(a.text_) == 0;
    }
    template <class Traits>
    friend std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out,
                                                        const name& n) {
      return out << n.text_;
    }

   private:
    const char* text_ = "";
  };

  name policy;
  name kernel;
  name device;  ///< the GPU's; empty on the host

  std::size_t elements = 0;
  std::size_t bytes = 0;  ///< read once from memory; 0 where the range reads none, or hides it
  std::size_t bytes_written = 0;  ///< by folds along an axis; of one result nothing is counted
  bool on_gpu = false;
  int threads = 0;  ///< host threads
  int chunk = 0;    ///< elements a GPU thread takes at once
  /// Width of its loads, in bytes: 16, less where elements are taken singly, more where a view has wider ones.
  int load_bytes = 0;

  launch_extent grid = 0;   ///< blocks of the first launch
  launch_extent block = 0;  ///< threads of each
  int registers = 0;        ///< a thread
  std::size_t static_shared_bytes = 0;
  std::size_t dynamic_shared_bytes = 0;
  std::size_t local_bytes = 0;  ///< a thread: what does not fit its registers
  std::size_t constant_bytes = 0;
  int max_threads_per_block = 0;  ///< the compiled kernel's limit
  unsigned blocks_per_multiprocessor = 0;
  double occupancy = 0;  ///< resident threads over the most the multiprocessor holds, 0 to 1

  /// Bytes a second, as measured on this machine over a sum of floats: on a GPU by `wf::device`, whoever
  /// the policy is; on the host by the policy itself.
  double bandwidth = 0;
  /// Seconds, for a value on the host: what a call with one element was measured to take, and the bytes at
  /// that bandwidth.
  double expected_time = 0;

  bool takes_chunks = true;  ///< and not single elements
  int architecture = 0;      ///< that the kernel's machine code is compiled for: 90 is 9.0

  /// All launches of the call; the fields above tell of the first. 0 on the host.
  int launches = 0;

  /// What a kernel can launch with (see kernel/concept.hpp), to have its launches noted and not made.
  class note_taker {
   public:
    note_taker(plan& p, const device_info& gpu) : plan_(p), gpu_(gpu) {}

    const device_info& gpu() const { return gpu_; }
    collective::grid_storage grid() const { return {}; }
    template <class T>
    collective::global_array<T> scratch(std::size_t count) {
      return {nullptr, count};
    }
    template <class Body>
    void launch(const char* kernel_name, const Body&, const launch_shape& shape) {
      if (plan_.launches++ != 0) return;
      check_shape(kernel_name, Body::max_block, shape);
      plan_.kernel = kernel_name;
      plan_.grid = shape.grid;
      plan_.block = shape.block;
      plan_.dynamic_shared_bytes = shape.shared_bytes;
      // A body that says how far it unrolls loads the view's chunks; the others take elements one by one.
      plan_.takes_chunks = requires { Body::unroll; };
      if constexpr (requires { Body::elements_a_load; }) plan_.chunk = Body::elements_a_load;
#if defined(__CUDACC__)
      plan_.template read_launch<Body>(shape);
#endif
    }

   private:
    plan& plan_;
    const device_info& gpu_;
  };
  note_taker launcher(const device_info& gpu) { return note_taker(*this, gpu); }

#if defined(__CUDACC__)
  /// Takes over what the compiler and the driver say of a launch of `Body`.
  /// @throws unsupported_kernel  if it cannot be launched so
  template <class Body>
  void read_launch(const launch_shape& shape) {
    runtime::check_architecture<Body>(kernel.c_str());
    if (shape.shared_bytes != 0)
      runtime::allow_dynamic_shared<Body>();  // or none would be resident
    const device_info& info = runtime::current_device_info();
    const cudaFuncAttributes a = runtime::attributes_of<Body>();
    device = detail::device_name(info.id);
    architecture = runtime::compiled_for<Body>();
    registers = a.numRegs;
    static_shared_bytes = a.sharedSizeBytes;
    local_bytes = a.localSizeBytes;
    constant_bytes = a.constSizeBytes;
    max_threads_per_block = a.maxThreadsPerBlock;
    const std::size_t block_threads = shape.block.count();
    blocks_per_multiprocessor =
        runtime::resident_blocks<Body>(shape) / static_cast<unsigned>(info.multiprocessors);
    occupancy = static_cast<double>(blocks_per_multiprocessor * block_threads) /
                info.threads_per_multiprocessor;
  }
#endif
};

/// Prints a plan, a line for each thing that applies. A template, so that only who prints needs <ostream>.
template <class Traits>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out, const plan& p) {
  const auto line = [&](const char* name, const char* format, auto... values) {
    char text[96];
    std::snprintf(text, sizeof text, format, values...);
    char labelled[128];
    std::snprintf(labelled, sizeof labelled, "  %-26s%s\n", name, text);
    out << labelled;
  };
  const auto scaled_line = [&](const char* name, double value, const char* const(&units)[4]) {
    int i = 0;
    while (value >= 1000 && i < 3) value /= 1000, ++i;
    line(name, "%.4g %s", value, units[i]);
  };
  const auto extent_line = [&](const char* name, const launch_extent& e, const char* unit) {
    if (e.z != 1) {
      line(name, "%u x %u x %u %s", e.x, e.y, e.z, unit);
    } else if (e.y != 1) {
      line(name, "%u x %u %s", e.x, e.y, unit);
    } else {
      line(name, "%u %s", e.x, unit);
    }
  };
  static constexpr const char* bytes[4] = {"B", "KB", "MB", "GB"};

  out << "policy " << p.policy << ", kernel " << p.kernel;
  if (!p.device.empty()) out << ", on " << p.device;
  out << '\n';
  line("elements", "%zu", p.elements);
  scaled_line("bytes read", static_cast<double>(p.bytes), bytes);
  if (p.bytes_written != 0) {
    scaled_line("bytes written", static_cast<double>(p.bytes_written), bytes);
  }
  if (p.threads != 0) line("host threads", "%d", p.threads);
  if (p.block.x != 0) {
    line("load", "%d bytes, %d elements a chunk", p.load_bytes, p.chunk);
    extent_line("grid", p.grid, "blocks");
    extent_line("block", p.block, "threads");
    if (p.launches > 1) line("launches", "%d", p.launches);
    if (p.on_gpu) line("registers", "%d a thread", p.registers);
    line("shared memory", "%zu B static, %zu B dynamic", p.static_shared_bytes,
         p.dynamic_shared_bytes);
  }
  if (p.on_gpu && p.block.x != 0) {
    line("local memory", "%zu B a thread", p.local_bytes);
    line("constant memory", "%zu B", p.constant_bytes);
    line("max threads a block", "%d", p.max_threads_per_block);
    line("blocks a multiprocessor", "%u", p.blocks_per_multiprocessor);
    line("occupancy", "%d %%", static_cast<int>(p.occupancy * 100 + 0.5));
  }
  if (p.bandwidth > 0) {
    scaled_line("measured bandwidth", p.bandwidth, {"B/s", "KB/s", "MB/s", "GB/s"});
    scaled_line("expected time", p.expected_time * 1e9, {"ns", "us", "ms", "s"});
  }
  return out;
}

namespace detail {

/// What a machine was measured to do: bytes a second over a large array, and seconds a call for an
/// empty one.
struct measured_speed {
  double bandwidth = 0;
  double overhead = 0;
};

/// Seconds since some moment. Not std::chrono: <chrono> is a third of a second in each file.
inline double seconds_now() {
  timespec now{};
  (void)clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

template <class Call>
double seconds_of(const Call& call) {
  double best = 0;
  for (int i = 0; i < 5; ++i) {
    const double start = seconds_now();
    call();
    const double t = seconds_now() - start;
    if (best == 0 || t < best) best = t;
  }
  return best;
}

template <class Policy, class Data>
measured_speed measure_speed(const Policy& policy, const Data& large, const Data& small) {
  measured_speed s;
  // Written to memory, or a compiler that sees the whole host loop leaves it out.
  [[maybe_unused]] volatile float sink = 0;
  s.overhead = seconds_of([&] { sink = reduce(policy, small, plus{}); });
  const double all = seconds_of([&] { sink = reduce(policy, large, plus{}); });
  const double data = all > s.overhead ? all - s.overhead : all;
  s.bandwidth = static_cast<double>(large.size() * sizeof(float)) / data;
  return s;
}

/// Floats that were written, so that each page is there.
struct host_floats {
  std::size_t size;
  float* data;

  explicit host_floats(std::size_t n) : size(n), data(new float[n]) {
    for (std::size_t i = 0; i < n; ++i) data[i] = 1.0f;
  }
  ~host_floats() { delete[] data; }
  host_floats(const host_floats&) = delete;             // they are freed once
  host_floats& operator=(const host_floats&) = delete;  // likewise
};

/// What a host policy was measured to do, once a process.
template <class Policy>
measured_speed host_speed(const Policy& policy) {
  static const measured_speed known = [&] {
    const host_floats large(std::size_t{16} << 20);
    const contiguous_view<float> all(large.data, large.size);
    return measure_speed(policy, all, contiguous_view<float>(large.data, 1));
  }();
  return known;
}

#if defined(__CUDACC__)
struct own_stream {
  cudaStream_t stream = nullptr;

  own_stream() {
    runtime::check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking),
                   "cudaStreamCreateWithFlags");
  }
  ~own_stream() { (void)cudaStreamDestroy(stream); }
  own_stream(const own_stream&) = delete;             // it is destroyed once
  own_stream& operator=(const own_stream&) = delete;  // likewise
};

/// What the current GPU was measured to do, once a process and device. A template, so that only files that
/// explain something hold the kernels that measure.
template <class Policy>
measured_speed device_speed(const Policy& policy) {
  // Others spin for the 10 ms that this takes, as they would for a result. Not std::mutex: see spin_lock.hpp.
  static runtime::spin_lock in_use;
  static measured_speed known[runtime::max_devices];
  const runtime::spin_guard guard(in_use);
  measured_speed& s = known[runtime::current_device()];
  if (s.bandwidth == 0) {
    const own_stream own;
    const cudaStream_t stream = own.stream;
    constexpr std::size_t count = std::size_t{64} << 20;  // 256 MB: five times an H100's L2 cache
    const runtime::resource_block large({}, count * sizeof(float), stream);
    runtime::check(cudaMemsetAsync(large.data(), 0, count * sizeof(float), stream),
                   "cudaMemsetAsync");
    const auto* data = static_cast<const float*>(large.data());
    s = measure_speed(policy.on(stream), contiguous_view<float>(data, count),
                      contiguous_view<float>(data, 1));
  }
  return s;
}
#endif

/// Fills in how long a call of `own` takes that reads and writes what the plan says.
template <class Policy>
void expect_time(plan& p, const Policy& own) {
  const measured_speed speed = [&] {
#if defined(__CUDACC__)
    if (p.on_gpu) return device_speed(device);
#endif
    return host_speed(own);
  }();
  p.bandwidth = speed.bandwidth;
  p.expected_time =
      speed.overhead +
      (static_cast<double>(p.bytes) + static_cast<double>(p.bytes_written)) / speed.bandwidth;
}

}  // namespace detail

/// The plan of `reduce(policy, range, op)`: kernel, launch shape, resources, bytes, expected time.
///
/// Nothing of `range` is read. The first call for a GPU measures its bandwidth, on a stream of its own
/// with 256 MB of scratch, in about 10 ms; the first for a host policy measures that, with 64 MB, in
/// about 100 ms. Later calls use what was measured and ask the driver for the kernel's attributes only.
/// @throws what `reduce` throws before it starts anything; `out_of_memory` if there is no room to
///         measure
///
/// Example: test/examples/explain.cu
template <policy_like Policy, reducible_range Range, class Op = plus>
plan explain(const Policy& policy, const Range& range, Op op = {}) {
  return detail::with_reduction(as_view(range), op, no_init{}, [&](const auto& r) {
    using view_type = typename std::remove_cvref_t<decltype(r)>::view_type;
    const auto own = as_policy(policy);
    plan p;
    p.policy = own.name();
    p.elements = r.view.size();
    r.require_result();
    if constexpr (requires { own.describe(r, p); }) own.describe(r, p);
    if (!p.on_gpu) runtime::check_host_readable(r.view);
    if (p.block.x != 0) {
      const std::size_t chunk_bytes = p.takes_chunks ? sizeof(typename view_type::chunk_type)
                                                     : sizeof(typename view_type::value_type);
      const std::size_t widest = widest_load<view_type>(p.architecture);
      p.chunk = p.takes_chunks ? view_type::chunk_size : 1;
      p.load_bytes = static_cast<int>(chunk_bytes < widest ? chunk_bytes : widest);
    }
    detail::expect_time(p, own);
    return p;
  });
}

WARPFOLD_REFUSE_MISUSE(explain)

}  // namespace warpfold
