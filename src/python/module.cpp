// The module warpfold._warpfold: what warpfold/__init__.py calls. Arrays come in by DLPack or the
// buffer protocol, without a copy; calls run without the global interpreter lock.
#include <warpfold.h>

#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/complex.h>

namespace nb = nanobind;

namespace {

using array = nb::ndarray<nb::ro>;

void require(warpfold_status status) {
  if (status == WARPFOLD_OK) return;
  const std::string message = warpfold_message();
  if (status == WARPFOLD_OUT_OF_MEMORY) {
    PyErr_SetString(PyExc_MemoryError, message.c_str());
    throw nb::python_error();
  }
  if (status == WARPFOLD_FAILED) throw std::runtime_error(message);
  throw nb::value_error(message.c_str());
}

// Calls the library without the lock. Its message belongs to this thread.
template <class F>
void call(const F& f) {
  warpfold_status status;
  {
    const nb::gil_scoped_release unlocked;
    status = f();
  }
  require(status);
}

// The type of elements, perhaps one that the library lacks.
warpfold_type known_type_of(const nb::dlpack::dtype& t) {
  int log2_bytes = 0;
  while (log2_bytes < 4 && 8 << log2_bytes != t.bits) ++log2_bytes;
  const auto code = static_cast<nb::dlpack::dtype_code>(t.code);
  if (t.lanes == 1 && 8 << log2_bytes == t.bits) {
    if (log2_bytes < 4) {
      if (code == nb::dlpack::dtype_code::Int) return static_cast<warpfold_type>(1 + log2_bytes);
      if (code == nb::dlpack::dtype_code::UInt) return static_cast<warpfold_type>(5 + log2_bytes);
    }
    if (code == nb::dlpack::dtype_code::Bool && log2_bytes == 0) return WARPFOLD_UINT8;
    if (code == nb::dlpack::dtype_code::Float) {
      if (log2_bytes == 1) return WARPFOLD_FLOAT16;
      if (log2_bytes == 2) return WARPFOLD_FLOAT32;
      if (log2_bytes == 3) return WARPFOLD_FLOAT64;
    }
    if (code == nb::dlpack::dtype_code::Bfloat && log2_bytes == 1) return WARPFOLD_BFLOAT16;
    if (code == nb::dlpack::dtype_code::Complex) {
      if (log2_bytes == 3) return WARPFOLD_COMPLEX64;
      if (log2_bytes == 4) return WARPFOLD_COMPLEX128;
    }
  }
  throw nb::type_error(
      "warpfold: the array's elements are not integers of 8 to 64 bits, bool, floating-point "
      "numbers of 16 to 64 bits, complex64 or complex128; convert it with astype");
}

warpfold_type type_of(const array& x) {
  if (x.device_type() != nb::device::cpu::value) {
    throw nb::value_error(
        "warpfold: the array is in memory of a GPU, which this module does not "
        "read; copy it to the host");
  }
  const warpfold_type type = known_type_of(x.dtype());
  if (warpfold_size(type) == 0) {
    throw nb::type_error(
        "warpfold: the array has 16-bit floats, which this build of the module lacks; build it "
        "where "
        "the headers of the CUDA toolkit are installed, or convert the array with astype");
  }
  return type;
}

// True if the elements fill their memory, in any order of the dimensions.
bool is_dense(const array& x) {
  std::vector<bool> seen(x.ndim());
  std::int64_t expected = 1;
  for (std::size_t k = 0; k < x.ndim(); ++k) {
    bool found = false;
    for (std::size_t d = 0; d < x.ndim() && !found; ++d) {
      if (!seen[d] && (x.shape(d) == 1 || x.stride(d) == expected)) {
        seen[d] = found = true;
        expected *= static_cast<std::int64_t>(x.shape(d));
      }
    }
    if (!found) return false;
  }
  return true;
}

// All elements of an array, in memory order.
warpfold_array whole(const array& x) {
  warpfold_array a{x.data(), x.size(), 1, type_of(x)};
  if (x.size() > 1 && !is_dense(x)) {
    if (x.ndim() != 1 || x.stride(0) < 1) {
      throw nb::value_error(
          "warpfold: the array has gaps or a negative stride; pass a contiguous "
          "one, such as numpy.ascontiguousarray(x)");
    }
    a.stride = static_cast<std::size_t>(x.stride(0));
  }
  return a;
}

// The same in row-major order, for results that are positions or depend on them.
warpfold_array in_row_major_order(const array& x) {
  const warpfold_array a = whole(x);
  std::int64_t expected = 1;
  for (std::size_t d = x.ndim(); x.ndim() > 1 && d-- > 0;) {
    if (x.shape(d) > 1 && x.stride(d) != expected) {
      throw nb::value_error(
          "warpfold: the array is not in row-major order, so positions in its "
          "memory are not those of its elements; pass "
          "numpy.ascontiguousarray(x)");
    }
    expected *= static_cast<std::int64_t>(x.shape(d));
  }
  return a;
}

// The value of a 16-bit floating-point number.
double of_16_bits(warpfold_type type, const void* from) {
  std::uint16_t bits;
  std::memcpy(&bits, from, sizeof bits);
  const int digits = type == WARPFOLD_FLOAT16 ? 10 : 7, bias = type == WARPFOLD_FLOAT16 ? 15 : 127;
  const int greatest = 2 * bias + 1, exponent = bits >> digits & greatest;
  const double fraction = std::ldexp(bits & ((1 << digits) - 1), -digits);
  double x = 0;
  if (exponent == greatest) {
    x = fraction == 0 ? std::numeric_limits<double>::infinity()
                      : std::numeric_limits<double>::quiet_NaN();
  } else if (exponent == 0) {
    x = std::ldexp(fraction, 1 - bias);
  } else {
    x = std::ldexp(1 + fraction, exponent - bias);
  }
  return bits >> 15 != 0 ? -x : x;
}

// A Python number from a result.
nb::object number(warpfold_type type, const void* from) {
  const auto read = [&]<class T>(T) {
    T x;
    std::memcpy(&x, from, sizeof x);
    return nb::cast(x);
  };
  switch (type) {
    case WARPFOLD_INT8:
      return read(std::int8_t{});
    case WARPFOLD_INT16:
      return read(std::int16_t{});
    case WARPFOLD_INT32:
      return read(std::int32_t{});
    case WARPFOLD_INT64:
      return read(std::int64_t{});
    case WARPFOLD_UINT8:
      return read(std::uint8_t{});
    case WARPFOLD_UINT16:
      return read(std::uint16_t{});
    case WARPFOLD_UINT32:
      return read(std::uint32_t{});
    case WARPFOLD_UINT64:
      return read(std::uint64_t{});
    case WARPFOLD_FLOAT32:
      return read(float{});
    case WARPFOLD_COMPLEX64:
      return read(std::complex<float>{});
    case WARPFOLD_COMPLEX128:
      return read(std::complex<double>{});
    case WARPFOLD_FLOAT16:
    case WARPFOLD_BFLOAT16:
      return nb::cast(of_16_bits(type, from));
    default:
      return read(double{});
  }
}

nb::dlpack::dtype dtype_of(warpfold_type type) {
  using code = nb::dlpack::dtype_code;
  if (type == WARPFOLD_BFLOAT16) type = WARPFOLD_FLOAT32;
  const auto c = type <= WARPFOLD_INT64                                      ? code::Int
                 : type <= WARPFOLD_UINT64                                   ? code::UInt
                 : type == WARPFOLD_BFLOAT16                                 ? code::Bfloat
                 : type == WARPFOLD_COMPLEX64 || type == WARPFOLD_COMPLEX128 ? code::Complex
                                                                             : code::Float;
  return {static_cast<std::uint8_t>(c), static_cast<std::uint8_t>(8 * warpfold_size(type)), 1};
}

// Memory for a result of any type.
struct result_place {
  std::uint64_t parts[2];
};

// Memory for `n` results of a type, and at least 4 bytes for each.
std::unique_ptr<result_place[]> memory_of(warpfold_type type, std::size_t n) {
  const std::size_t size = warpfold_size(type) < 4 ? 4 : warpfold_size(type);
  return std::unique_ptr<result_place[]>(new result_place[n * size / sizeof(result_place) + 1]);
}

// A new NumPy array for results, which `fill(pointer)` writes. NumPy has no bfloat16: such results
// become float32.
template <class Fill>
nb::object results(warpfold_type type, const std::vector<std::size_t>& shape, const Fill& fill) {
  std::size_t n = 1;
  for (const std::size_t extent : shape) n *= extent;
  auto memory = memory_of(type, n);
  fill(static_cast<void*>(memory.get()));
  if (type == WARPFOLD_BFLOAT16) {
    auto* const bytes = reinterpret_cast<unsigned char*>(memory.get());
    for (std::size_t i = n; i-- > 0;) {
      std::uint16_t half;
      std::memcpy(&half, bytes + i * sizeof half, sizeof half);
      const std::uint32_t bits = std::uint32_t{half} << 16;
      std::memcpy(bytes + i * sizeof bits, &bits, sizeof bits);
    }
  }
  void* const data = memory.get();
  const nb::capsule owner(memory.release(),
                          [](void* p) noexcept { delete[] static_cast<result_place*>(p); });
  return nb::cast(
      nb::ndarray<nb::numpy>(data, shape.size(), shape.data(), owner, nullptr, dtype_of(type)));
}

warpfold_type result_type(warpfold_operation operation, warpfold_type type) {
  const warpfold_type result = warpfold_result_type(operation, type);
  if (result == warpfold_type{}) {
    if (operation == WARPFOLD_EXACT_SUM) {
      throw nb::type_error(
          "warpfold: exact sums are of floating-point and complex numbers; sums of integers have "
          "no rounding, so leave exact=True out, or pass the operation \"sum\"");
    }
    throw nb::type_error(
        "warpfold: complex numbers have no order, so they have no minimum, no maximum and no "
        "logsumexp; pass their real parts or absolute values");
  }
  return result;
}

nb::object reduce(int operation, const array& x, int threads) {
  const auto op = static_cast<warpfold_operation>(operation);
  const bool is_position = op == WARPFOLD_ARGMIN || op == WARPFOLD_ARGMAX;
  const warpfold_array a = is_position ? in_row_major_order(x) : whole(x);
  const warpfold_type type = result_type(op, a.type);
  result_place result{};
  call([&] { return warpfold_reduce(op, &a, threads, &result); });
  if (op != WARPFOLD_MINMAX) return number(type, &result);
  const auto* const greatest =
      reinterpret_cast<const unsigned char*>(&result) + warpfold_size(type);
  return nb::make_tuple(number(type, &result), number(type, greatest));
}

nb::object reduce_axis(int operation, const array& x, int axis, int threads) {
  const auto op = static_cast<warpfold_operation>(operation);
  const warpfold_type type = type_of(x), of_result = result_type(op, type);
  const int rank = static_cast<int>(x.ndim());
  const int at = axis < 0 ? axis + rank : axis;
  if (at < 0 || at >= rank) {
    throw nb::value_error(("warpfold: the axis is " + std::to_string(axis) +
                           ", but the array has " + std::to_string(rank) + " dimensions")
                              .c_str());
  }
  std::vector<std::size_t> extents, strides, kept;
  for (int d = 0; d < rank; ++d) {
    const auto k = static_cast<std::size_t>(d);
    if (x.shape(k) > 1 && x.stride(k) < 0) {
      throw nb::value_error("warpfold: the array has a negative stride; pass a copy");
    }
    extents.push_back(x.shape(k));
    strides.push_back(x.shape(k) > 1 ? static_cast<std::size_t>(x.stride(k)) : 0);
    if (d != at) kept.push_back(x.shape(k));
  }
  return results(of_result, kept, [&](void* to) {
    call([&] {
      return warpfold_reduce_axis(op, x.data(), type, rank, extents.data(), strides.data(), at,
                                  threads, to);
    });
  });
}

// True if equal indices of two arrays have equal places in memory.
bool are_alike(const array& x, const array& y) {
  if (x.ndim() != y.ndim()) return false;
  for (std::size_t d = 0; d < x.ndim(); ++d) {
    if (x.shape(d) != y.shape(d)) return false;
    if (x.ndim() > 1 && x.shape(d) > 1 && x.stride(d) != y.stride(d)) return false;
  }
  return true;
}

// The sum of products; `conjugates` is true for the caller that means conjugates of `x`.
nb::object dot(const array& x, const array& y, bool exact, bool conjugates, int threads) {
  if (!are_alike(x, y)) {
    throw nb::value_error(
        "warpfold: dot takes two arrays of one shape and one order of the "
        "dimensions; pass numpy.ascontiguousarray(x) of both");
  }
  const warpfold_array a = whole(x), b = whole(y);
  if (!conjugates && (a.type == WARPFOLD_COMPLEX64 || a.type == WARPFOLD_COMPLEX128)) {
    throw nb::type_error(
        "warpfold: dot is of real numbers; vdot(a, b) multiplies the conjugates of a with b, so "
        "pass "
        "vdot(a.conj(), b) for products without conjugates");
  }
  (void)result_type(exact ? WARPFOLD_EXACT_SUM : WARPFOLD_SUM, a.type);
  const warpfold_type type = result_type(WARPFOLD_SUM, a.type);
  result_place result{};
  call([&] { return warpfold_dot(&a, &b, exact, threads, &result); });
  return number(type, &result);
}

nb::object reduce_segments(
    int operation, const array& x,
    const nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>& offsets,
    int threads) {
  const auto op = static_cast<warpfold_operation>(operation);
  const warpfold_array a = in_row_major_order(x);
  if (offsets.size() == 0) {
    throw nb::value_error("warpfold: there are no offsets; pass one more than there are segments");
  }
  const std::size_t segments = offsets.size() - 1;
  return results(result_type(op, a.type), {segments}, [&](void* to) {
    call([&] { return warpfold_reduce_segments(op, &a, offsets.data(), segments, threads, to); });
  });
}

// The memory of a new NumPy array for results, and then the array of the first ones.
class results_memory {
 public:
  results_memory(warpfold_type type, std::size_t most)
      : type_(type), bytes_(memory_of(type, most)) {}
  void* data() const { return bytes_.get(); }
  nb::object first(std::size_t count) {
    const std::size_t size = warpfold_size(type_);
    return results(type_, {count}, [&](void* to) { std::memcpy(to, bytes_.get(), count * size); });
  }

 private:
  warpfold_type type_;
  std::unique_ptr<result_place[]> bytes_;
};

nb::object reduce_by_key(int operation, const array& keys, const array& values, int threads) {
  const auto op = static_cast<warpfold_operation>(operation);
  const warpfold_array k = in_row_major_order(keys), v = in_row_major_order(values);
  results_memory keys_out(k.type, k.count), folds(result_type(op, v.type), k.count);
  std::size_t runs = 0;
  call([&] {
    return warpfold_reduce_by_key(op, &k, &v, threads, keys_out.data(), folds.data(), &runs);
  });
  return nb::make_tuple(keys_out.first(runs), folds.first(runs));
}

nb::object run_lengths(const array& keys, int threads) {
  const warpfold_array k = in_row_major_order(keys);
  results_memory keys_out(k.type, k.count), lengths(WARPFOLD_UINT64, k.count);
  std::size_t runs = 0;
  call([&] {
    return warpfold_run_lengths(&k, threads, keys_out.data(),
                                static_cast<std::uint64_t*>(lengths.data()), &runs);
  });
  return nb::make_tuple(keys_out.first(runs), lengths.first(runs));
}

}  // namespace

NB_MODULE(_warpfold, m) {
  m.def("reduce", &reduce);
  m.def("reduce_axis", &reduce_axis);
  m.def("dot", &dot);
  m.def("reduce_segments", &reduce_segments);
  m.def("reduce_by_key", &reduce_by_key);
  m.def("run_lengths", &run_lengths);
  m.attr("version") = warpfold_version();
}
