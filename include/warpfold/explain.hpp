/// @file
/// `explain(policy, range, op)`: how a reduction would run, without running it.
#pragma once

#include <cstddef>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <iosfwd>

#include <warpfold/collective/axis_loads.hpp>
#include <warpfold/kernel/tuning.hpp>
#include <warpfold/reduce.hpp>
#include <warpfold/runtime/spin_lock.hpp>

#if defined(__CUDACC__)
#include <warpfold/runtime/resource_block.hpp>
#endif

namespace warpfold {

namespace detail {

#if defined(__CUDACC__)
/// The GPU's name, read from the driver once and kept.
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

/// How one call runs. Fields that do not apply are 0, for example `registers` on the host.
struct plan {
  /// Text that lives as long as the program. Not a std::string: `<string>` and `<ostream>` add
  /// 1.9 s to the compile time of this header with nvcc.
  class name {
   public:
    constexpr name() = default;
    constexpr name(const char* text) : text_(text) {}

    constexpr const char* c_str() const { return text_; }
    constexpr bool empty() const { return *text_ == '\0'; }

    friend bool operator==(const name& a, const name& b) { return a == b.text_; }
    friend bool operator==(const name& a, const char* b) { return std::strcmp(a.text_, b) == 0; }
    /// Compares with a std::string.
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
  name device;    ///< name of the GPU; empty on the host
  name local;     ///< the policy that folds the range of this rank; empty if there is one rank only
  int ranks = 0;  ///< the ranks that exchange their states; 0 if there is one only
  std::size_t bytes_sent = 0;   ///< bytes that each rank sends to the others
  name exchange;                ///< how they travel, for example "mailboxes"
  std::size_t shard_bytes = 0;  ///< of shards: bytes that the GPU with the largest one reads

  std::size_t elements = 0;
  std::size_t bytes = 0;  ///< bytes read from memory; 0 if the range reads none or hides its memory
  /// bytes written by folds along an axis and of segments; 0 for reductions to one value
  std::size_t bytes_written = 0;
  bool on_gpu = false;
  int threads = 0;  ///< host threads
  int chunk = 0;    ///< elements that a GPU thread loads at once
  /// Width of the loads in bytes: 16, less if elements are loaded one by one, more if the view has
  /// wider loads.
  int load_bytes = 0;

  launch_extent grid = 0;   ///< blocks of the first launch
  launch_extent block = 0;  ///< threads of each block
  int registers = 0;        ///< registers per thread
  std::size_t static_shared_bytes = 0;
  std::size_t dynamic_shared_bytes = 0;
  std::size_t local_bytes = 0;  ///< bytes per thread that do not fit the registers
  std::size_t constant_bytes = 0;
  int max_threads_per_block = 0;  ///< limit of the compiled kernel
  unsigned blocks_per_multiprocessor = 0;
  /// resident threads as a fraction of the maximum per multiprocessor, 0 to 1
  double occupancy = 0;

  /// Bytes per second, measured on this machine. On a GPU with a sum of floats by `wf::device`, for
  /// every policy. On the host with the policy itself on arrays of 512 KB to 64 MB: with the call's
  /// op for `plus`, `multiplies`, `minimum` and `maximum` of an array of numbers, otherwise with a
  /// sum of floats.
  double bandwidth = 0;
  /// Seconds for a call that returns its value to the host: the measured time of a call with one
  /// element, and the time of the bytes at the measured speeds. On the host it assumes that the
  /// range was read before, so that caches hold what fits. Slower ops and projections than the
  /// measured one take longer.
  double expected_time = 0;

  bool takes_chunks = true;  ///< false: elements are loaded one by one
  int architecture = 0;      ///< compute capability of the kernel's machine code: 90 is 9.0
  int multiprocessors = 0;   ///< of the real or emulated GPU, like the next field
  int compute_capability = 0;

  /// The source of the launch shape: a table measured on this GPU model, a table computed for a
  /// model that was not measured, or a table of the caller. See docs/tuning.md.
  tuning_source table = tuning_source::none;

  /// All launches of the call; the fields above describe the first one. 0 on the host.
  int launches = 0;

  /// A launcher (see kernel/concept.hpp) that records launches instead of making them.
  class note_taker {
   public:
    note_taker(plan& p, const device_info& gpu) : plan_(p), gpu_(gpu) {
      plan_.multiprocessors = gpu.multiprocessors;
      plan_.compute_capability = gpu.compute_capability;
    }

    const device_info& gpu() const { return gpu_; }
    collective::grid_storage grid() const { return {}; }
    void start_next_kernel() const {}
    template <class T>
    collective::global_array<T> scratch(std::size_t count) {
      return {nullptr, count};
    }
    template <class Body>
    unsigned resident_blocks_per_multiprocessor() const {
#if defined(__CUDACC__)
      return runtime::kernel_of<Body>().resident_blocks_per_multiprocessor(gpu_);
#else
      return gpu_.blocks_of_threads(Body::max_block);
#endif
    }
    template <class Body>
    void launch(const char* kernel_name, const Body&, const launch_shape& shape) {
      if (plan_.launches++ != 0) return;
      check_shape(kernel_name, Body::max_block, shape);
      plan_.kernel = kernel_name;
      plan_.grid = shape.grid;
      plan_.block = shape.block;
      plan_.dynamic_shared_bytes = shape.shared_bytes;
      // A body that declares its unroll factor loads chunks; other bodies load elements one by one.
      plan_.takes_chunks = requires { Body::unroll; };
      if constexpr (requires { Body::elements_a_load; }) plan_.chunk = Body::elements_a_load;
#if defined(__CUDACC__)
      plan_.read_launch(runtime::kernel_of<Body>(), shape);
#endif
    }

   private:
    plan& plan_;
    const device_info& gpu_;
  };
  note_taker launcher(const device_info& gpu) { return note_taker(*this, gpu); }

#if defined(__CUDACC__)
  /// Reads the attributes of a launch of `of` from the compiler and the driver.
  /// @throws unsupported_kernel if the launch is not possible
  void read_launch(runtime::compiled_kernel& of, const launch_shape& shape) {
    const device_info& info = runtime::current_device_info();
    of.check_architecture(info, kernel.c_str());
    if (shape.shared_bytes != 0)
      of.allow_dynamic_shared(info);  // otherwise the occupancy would be 0
    const cudaFuncAttributes a = of.attributes();
    device = detail::device_name(info.id);
    architecture = of.architecture(info);
    registers = a.numRegs;
    static_shared_bytes = a.sharedSizeBytes;
    local_bytes = a.localSizeBytes;
    constant_bytes = a.constSizeBytes;
    max_threads_per_block = a.maxThreadsPerBlock;
    const std::size_t block_threads = shape.block.count();
    blocks_per_multiprocessor =
        of.resident_blocks(info, shape) / static_cast<unsigned>(info.multiprocessors);
    occupancy = static_cast<double>(blocks_per_multiprocessor * block_threads) /
                info.threads_per_multiprocessor;
  }
#endif
};

/// Prints a plan, one line for each field that applies. A template, so that only callers that print
/// need `<ostream>`.
///
/// @param out,p a stream of `char`, and the plan
/// @return `out`
///
/// Errors: those of the stream. Cost: no allocation.
///
/// ```cpp
/// #include <iostream>
///
/// std::cout << wf::explain(wf::seq, std::vector<float>(1000));
/// ```
template <class Traits>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out, const plan& p) {
  const auto line = [&](const char* name, const char* format, auto... values) {
    char text[96];
    std::snprintf(text, sizeof text, format, values...);
    char labeled[128];
    std::snprintf(labeled, sizeof labeled, "  %-26s%s\n", name, text);
    out << labeled;
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
      const int length = static_cast<int>(__builtin_strlen(unit)) - (e.x == 1);  // 1 block
      line(name, "%u %.*s", e.x, length, unit);
    }
  };
  static constexpr const char* bytes[4] = {"B", "KB", "MB", "GB"};

  out << "policy " << p.policy << ", kernel " << p.kernel;
  if (!p.device.empty()) out << ", on " << p.device;
  out << '\n';
  if (p.ranks != 0) {
    line("ranks", "%d, each folds its range with %s", p.ranks, p.local.c_str());
    line("sends", "%zu B from each rank, by %s", p.bytes_sent, p.exchange.c_str());
  }
  line("elements", "%zu", p.elements);
  scaled_line("bytes read", static_cast<double>(p.bytes), bytes);
  if (p.shard_bytes != 0) {
    scaled_line("largest shard", static_cast<double>(p.shard_bytes), bytes);
  }
  if (p.bytes_written != 0) {
    scaled_line("bytes written", static_cast<double>(p.bytes_written), bytes);
  }
  if (p.threads != 0) line("host threads", "%d", p.threads);
  if (p.block.x != 0 && !p.on_gpu) {
    line("emulated GPU", "%d multiprocessors, compute capability %d.%d", p.multiprocessors,
         p.compute_capability / 10, p.compute_capability % 10);
  }
  if (p.block.x != 0) {
    line("load", "%d bytes, %d elements per chunk", p.load_bytes, p.chunk);
    extent_line("grid", p.grid, "blocks");
    extent_line("block", p.block, "threads");
    if (p.launches > 1) line("launches", "%d", p.launches);
    if (p.on_gpu) line("registers", "%d per thread", p.registers);
    line("shared memory", "%zu B static, %zu B dynamic", p.static_shared_bytes,
         p.dynamic_shared_bytes);
  }
  if (p.table != tuning_source::none) {
    line("launch table", "%s",
         p.table == tuning_source::given      ? "given by the caller"
         : p.table == tuning_source::measured ? "measured on this kind of GPU"
                                              : "computed: nobody measured this kind of GPU");
  }
  if (p.on_gpu && p.block.x != 0) {
    line("local memory", "%zu B per thread", p.local_bytes);
    line("constant memory", "%zu B", p.constant_bytes);
    line("max threads per block", "%d", p.max_threads_per_block);
    line("blocks per multiprocessor", "%u", p.blocks_per_multiprocessor);
    line("occupancy", "%d %%", static_cast<int>(p.occupancy * 100 + 0.5));
  }
  if (p.bandwidth > 0) {
    scaled_line("measured bandwidth", p.bandwidth, {"B/s", "KB/s", "MB/s", "GB/s"});
    scaled_line("expected time", p.expected_time * 1e9, {"ns", "us", "ms", "s"});
  }
  return out;
}

namespace detail {

/// Measured speed of a machine: the seconds of a call with one element, and the bytes per second of
/// one or more stretches of a range. Caches hold the first ones.
struct measured_speed {
  struct stretch {
    double end = 0;  ///< bytes from the start of the range; the last stretch has no end
    double bandwidth = 1;
  };
  static constexpr int most = 4;

  double overhead = 0;
  int count = 0;
  stretch stretches[most] = {};

  double bandwidth_of(double bytes) const {
    int i = 0;
    while (i < count - 1 && bytes > stretches[i].end) ++i;
    return stretches[i].bandwidth;
  }
  double time_of(double bytes) const {
    double time = overhead;
    double from = 0;
    for (int i = 0; i < count && from < bytes; ++i) {
      const bool is_last = i == count - 1 || bytes <= stretches[i].end;
      const double to = is_last ? bytes : stretches[i].end;
      time += (to - from) / stretches[i].bandwidth;
      from = to;
    }
    return time;
  }
};

/// Seconds since an arbitrary start. Not std::chrono: `<chrono>` adds 0.3 s to the compile time of
/// each file.
inline double seconds_now() {
  timespec now{};
  (void)clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// The least time of five calls, of fewer if they take longer than 50 ms.
template <class Call>
double seconds_of(const Call& call) {
  double best = 0;
  const double begin = seconds_now();
  double start = begin;
  for (int i = 0; i < 5 && start - begin < 0.05; ++i) {
    call();
    const double end = seconds_now();
    if (best == 0 || end - start < best) best = end - start;
    start = end;
  }
  return best;
}

/// Measures reductions of arrays of these sizes, which ascend.
template <class T, class Policy, class Op, std::size_t Count>
measured_speed measure_speed(const Policy& policy, const T* data, const Op& op,
                             const std::size_t (&sizes)[Count]) {
  static_assert(Count <= measured_speed::most);
  // Volatile: otherwise the compiler removes the host loop.
  using result = decltype(reduce(policy, contiguous_view<T>(data, 1), op));
  [[maybe_unused]] volatile result sink{};
  const auto seconds_of_fold = [&](std::size_t n) {
    return seconds_of([&] { sink = reduce(policy, contiguous_view<T>(data, n), op); });
  };
  measured_speed s;
  double before = s.overhead = seconds_of_fold(1);
  std::size_t begin = 0;
  for (const std::size_t size : sizes) {
    const double time = seconds_of_fold(size);
    const double bytes = static_cast<double>((size - begin) * sizeof(T));
    s.stretches[s.count++] = {static_cast<double>(size * sizeof(T)),
                              bytes / (time > before ? time - before : time)};
    before = time;
    begin = size;
  }
  return s;
}

/// Numbers that were written, so that each page is mapped. Not a vector: `<vector>` adds to the
/// compile time of each file.
template <class T>
struct host_ones {
  T* data;

  explicit host_ones(std::size_t n) : data(new T[n]) {
    for (std::size_t i = 0; i < n; ++i) data[i] = T{1};
  }
  ~host_ones() { delete[] data; }
  host_ones(const host_ones&) = delete;
  host_ones& operator=(const host_ones&) = delete;
};

/// The measured speed of a host policy; measured once per process, element and op. The smaller
/// arrays fit into caches; which ones depends on the machine.
template <class T, class Op, class Policy>
measured_speed host_speed(const Policy& policy) {
  static const measured_speed known = [&] {
    constexpr std::size_t mb = (std::size_t{1} << 20) / sizeof(T);
    const host_ones<T> ones(64 * mb);
    return measure_speed(policy, ones.data, Op{}, {mb / 2, 2 * mb, 16 * mb, 64 * mb});
  }();
  return known;
}

template <class Policy>
concept runs_on_host_threads =
    requires(const Policy& p) { []<class Threads>(const host_policy<Threads>&) {}(p); };

template <class View>
inline constexpr bool is_array_view = false;
template <class T>
inline constexpr bool is_array_view<contiguous_view<T>> = true;

/// True if `explain` measures this op with elements of type `T` on the host: it makes the elements,
/// and calls no function of the caller.
template <class T, class Op>
inline constexpr bool is_measured = std::is_arithmetic_v<T> && !std::is_same_v<T, bool> &&
                                    (std::is_same_v<Op, plus> || std::is_same_v<Op, multiplies> ||
                                     std::is_same_v<Op, minimum> || std::is_same_v<Op, maximum>);

#if defined(__CUDACC__)
struct own_stream {
  cudaStream_t stream = nullptr;

  own_stream() {
    runtime::check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking),
                   "cudaStreamCreateWithFlags");
  }
  ~own_stream() { (void)cudaStreamDestroy(stream); }
  own_stream(const own_stream&) = delete;
  own_stream& operator=(const own_stream&) = delete;
};

/// The measured speed of the current GPU; measured once per process and device. A template, so that
/// only files that call `explain` contain the measuring kernels.
template <class Policy>
measured_speed device_speed(const Policy& policy) {
  // Other threads spin for the 10 ms of the measurement, as they do for a result. Not std::mutex:
  // see spin_lock.hpp.
  static runtime::spin_lock in_use;
  static measured_speed known[runtime::max_devices];
  const runtime::spin_guard guard(in_use);
  measured_speed& s = known[runtime::current_device()];
  if (s.count == 0) {
    const own_stream own;
    const cudaStream_t stream = own.stream;
    // 256 MB: five times the L2 cache of an H100
    constexpr std::size_t count = std::size_t{64} << 20;
    const runtime::resource_block large({}, count * sizeof(float), stream);
    runtime::check(cudaMemsetAsync(large.data(), 0, count * sizeof(float), stream),
                   "cudaMemsetAsync");
    s = measure_speed(policy.on(stream), static_cast<const float*>(large.data()), plus{}, {count});
  }
  return s;
}
#endif

/// Fills in the loads of a kernel that reads elements of type `T`. Kernels that do not declare a
/// chunk copy words.
template <class T>
void note_loads(plan& p) {
  if (p.block.x == 0) return;
  const std::size_t bytes =
      p.chunk == 0 ? word_bytes : static_cast<std::size_t>(p.chunk) * sizeof(T);
  if (p.chunk == 0) p.chunk = collective::elements_of_word<T>;
  p.load_bytes = static_cast<int>(bytes < word_bytes ? bytes : word_bytes);
}

/// Fills in the expected time of a call of `own` from the bytes in the plan. The time of an
/// emulated launch says nothing about a GPU, so it stays unknown. `View` and `Op` select what is
/// measured on the host.
template <class View = contiguous_view<float>, class Op = plus, class Policy>
void expect_time(plan& p, const Policy& own) {
  if (p.block.x != 0 && !p.on_gpu) return;
  const measured_speed speed = [&] {
#if defined(__CUDACC__)
    if (p.on_gpu) return device_speed(device);
#endif
    using T = typename View::value_type;
    if constexpr (runs_on_host_threads<Policy> && is_array_view<View> && is_measured<T, Op>) {
      return host_speed<T, Op>(own);
    } else {
      return host_speed<float, plus>(own);
    }
  }();
  const std::size_t read = p.shard_bytes != 0 ? p.shard_bytes : p.bytes;
  const double bytes = static_cast<double>(read) + static_cast<double>(p.bytes_written);
  p.bandwidth = speed.bandwidth_of(bytes);
  p.expected_time = speed.time_of(bytes);
}

/// True of a policy whose ranks each pass a part of the range (policy/across.hpp).
template <class Policy>
concept has_ranks = requires(const Policy& p) { p.ranks(); };

/// The policy that folds on this rank.
template <class Policy>
auto local_policy(const Policy& p) {
  if constexpr (has_ranks<Policy>) {
    return p.local();
  } else {
    return p;
  }
}

}  // namespace detail

/// Returns the plan of `reduce(policy, range, op)`: kernel, launch shape, resources, bytes and
/// expected time.
///
/// @param policy,range,op as for `reduce`; the elements are not read
/// @return the plan; print it with `<<`. It has no expected time for `wf::emulated`
///
/// - Empty range: returns a plan if the op has an identity.
/// - With `wf::across`: the plan of this rank. Of shards: the plan of the GPU with the largest one;
///   `elements` and `bytes` are those of all. The expected time does not include the exchange.
/// - Stream: nothing is enqueued on the policy's stream, and `explain` does not wait for it. Axes
///   and segments of shards on GPUs: it allocates a state of each result from each shard, in stream
///   order on the default stream of the GPU that writes.
/// - Cost: the first call for a GPU measures its bandwidth, on its own stream with 256 MB of
///   scratch, in about 10 ms. The first call for a host policy, or for another element or op of it
///   (see `plan::bandwidth`), measures with 64 MB, in about 100 to 500 ms. Later calls reuse the
///   measurement and query the driver for the kernel's attributes.
/// @throws empty_range,invalid_range,no_device,unsupported_kernel as `reduce`, before it starts
///     anything
/// @throws out_of_memory if there is no memory for the measurement
///
/// ```cpp
/// std::vector<float> v(1000, 1.0f);
/// wf::plan p = wf::explain(wf::seq, v);
/// std::size_t bytes = p.bytes;  // 4000
/// ```
/// For a GPU: test/examples/explain.cu
template <policy_like Policy, reducible_range Range, class Op = plus>
plan explain(const Policy& policy, const Range& range, Op op = {}) {
  return detail::with_reduction(as_view(range), op, no_init{}, [&](const auto& r) {
    using view_type = typename std::remove_cvref_t<decltype(r)>::view_type;
    const auto own = as_policy(policy);
    plan p;
    p.policy = own.name();
    p.elements = r.view.size();
    // Other ranks may have elements.
    if constexpr (!detail::has_ranks<decltype(as_policy(policy))>) r.require_valid();
    if constexpr (requires { own.describe(r, p); }) own.describe(r, p);
    if (!p.on_gpu) runtime::check_host_readable(r.view);
    if (p.block.x != 0) {
      const std::size_t chunk_bytes = p.takes_chunks ? sizeof(typename view_type::chunk_type)
                                                     : sizeof(typename view_type::value_type);
      const std::size_t widest = widest_load<view_type>(p.architecture);
      p.chunk = p.takes_chunks ? view_type::chunk_size : 1;
      p.load_bytes = static_cast<int>(chunk_bytes < widest ? chunk_bytes : widest);
    }
    detail::expect_time<view_of_t<Range>, Op>(p, detail::local_policy(own));
    return p;
  });
}

WARPFOLD_FORMS(explain, 0, 1, "explain(policy, range, op)")

}  // namespace warpfold
