// The functions of warpfold.h: they check the arguments, choose the functions of the element type,
// and turn exceptions into a status and a message.
#include <warpfold.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <exception>
#include <iterator>
#include <new>
#include <vector>

#include <oneapi/tbb/info.h>
#include <oneapi/tbb/task_arena.h>

#include <warpfold/core/error.hpp>
#include <warpfold/policy/par.hpp>

#include "request.hpp"

namespace compiled {

namespace {

// The text of the thread's last error.
wf::message& last_message() {
  static thread_local wf::message text;
  return text;
}

#define COMPILED_NAME(name, T) #name,
constexpr const char* type_names[] = {"?", COMPILED_TYPES(COMPILED_NAME)};
#define COMPILED_ADDRESS(name, T) &name##_elements,
constexpr const type_functions* types[] = {nullptr, COMPILED_TYPES(COMPILED_ADDRESS)};
#define COMPILED_SIZE(name, T) sizeof(T),
constexpr std::size_t sizes[] = {0, COMPILED_TYPES(COMPILED_SIZE)};
#define COMPILED_ALIGNMENT(name, T) alignof(T),
constexpr std::size_t alignments[] = {0, COMPILED_TYPES(COMPILED_ALIGNMENT)};
#undef COMPILED_ALIGNMENT
#undef COMPILED_NAME
#undef COMPILED_ADDRESS
#undef COMPILED_SIZE

constexpr const char* operation_names[] = {
    "?",         "SUM",           "PRODUCT",     "MINIMUM",       "MAXIMUM",
    "ARGMIN",    "ARGMAX",        "MEAN",        "VARIANCE",      "SAMPLE_VARIANCE",
    "STDDEV",    "NORM_1",        "NORM_2",      "NORM_INFINITY", "COUNT_NONZERO",
    "EXACT_SUM", "SAMPLE_STDDEV", "LOG_SUM_EXP", "MINMAX"};

bool is_type(warpfold_type type) {
  return type >= WARPFOLD_INT8 && static_cast<std::size_t>(type) < std::size(types);
}
bool is_operation(warpfold_operation operation) {
  return operation >= WARPFOLD_SUM && operation <= WARPFOLD_MINMAX;
}

void check_operation(warpfold_operation operation) {
  if (is_operation(operation)) return;
  wf::throw_error<wf::invalid_argument>("warpfold: ", static_cast<int>(operation),
                                        " is no warpfold_operation; pass an enumerator of "
                                        "warpfold.h");
}
void check_array(const warpfold_array* a, const char* name) {
  if (a == nullptr) {
    wf::throw_error<wf::invalid_range>("warpfold: the pointer to the array `", name,
                                       "` is null; pass the address of a warpfold_array");
  }
  if (!is_type(a->type) && (a->type == WARPFOLD_FLOAT16 || a->type == WARPFOLD_BFLOAT16)) {
    wf::throw_error<wf::invalid_argument>("warpfold: the array `", name, "` has 16-bit floats, ",
                                          "which this build of libwarpfold lacks; build it where "
                                          "the headers of the CUDA toolkit are installed");
  }
  if (!is_type(a->type)) {
    wf::throw_error<wf::invalid_argument>("warpfold: the array `", name, "` has type ",
                                          static_cast<int>(a->type),
                                          ", which is no warpfold_type; pass an enumerator of "
                                          "warpfold.h");
  }
  if (a->stride == 0 || a->stride > PTRDIFF_MAX) {
    wf::throw_error<wf::invalid_argument>("warpfold: the array `", name, "` has a stride of ",
                                          a->stride,
                                          "; pass 1 for contiguous elements, at most PTRDIFF_MAX "
                                          "for others; strides are not negative");
  }
  const std::size_t size = sizes[a->type];
  std::size_t bytes = 0;
  if (a->count != 0 &&
      (__builtin_mul_overflow(a->count - 1, a->stride, &bytes) ||
       __builtin_mul_overflow(bytes, size, &bytes) || bytes > PTRDIFF_MAX - size)) {
    wf::throw_error<wf::invalid_range>("warpfold: the array `", name, "` of ", a->count,
                                       " elements with a stride of ", a->stride,
                                       " is larger than the address space; check both");
  }
  if (a->count != 0 && a->data == nullptr) {
    wf::throw_error<wf::invalid_range>("warpfold: the data of the array `", name,
                                       "` is a null pointer, but its count is ", a->count);
  }
}
void check_keys(const warpfold_array* keys, const void* keys_out, const void* out,
                const std::size_t* runs) {
  check_array(keys, "keys");
  if (keys->stride != 1) {
    wf::throw_error<wf::invalid_argument>("warpfold: the keys have a stride of ", keys->stride,
                                          "; pass contiguous elements");
  }
  if (runs == nullptr || (keys->count != 0 && (keys_out == nullptr || out == nullptr))) {
    wf::throw_error<wf::invalid_range>("warpfold: the pointer to the ",
                                       runs == nullptr       ? "number of runs"
                                       : keys_out == nullptr ? "keys of the runs"
                                                             : "results of the runs",
                                       " is null; pass the address of a variable or of an array");
  }
}
void check_result(const void* result) {
  if (result == nullptr) {
    wf::throw_error<wf::invalid_range>(
        "warpfold: the pointer to the result is null; pass the address of a variable");
  }
}

// Runs `f` with at most `threads` host threads. So few elements are folded by the caller anyway.
template <class F>
void on_threads(int threads, std::size_t elements, const F& f) {
  if (threads < 0) {
    wf::throw_error<wf::invalid_argument>("warpfold: the number of threads is ", threads,
                                          "; pass 0 for all, or a number above 0");
  }
  if (threads == 0 || elements <= wf::par_policy::min_part) return f();
  tbb::task_arena arena((std::min)(threads, tbb::info::default_concurrency()));
  arena.execute(f);
}

// Calls `f` and returns the status of its exception.
template <class F>
warpfold_status status_of(const F& f) noexcept {
  last_message() = wf::message();
  try {
    f();
    return WARPFOLD_OK;
  } catch (const wf::invalid_argument& e) {
    last_message() = wf::message(e.what());
    return WARPFOLD_INVALID_ARGUMENT;
  } catch (const wf::invalid_range& e) {
    last_message() = wf::message(e.what());
    return WARPFOLD_INVALID_RANGE;
  } catch (const wf::empty_range& e) {
    last_message() = wf::message(e.what());
    return WARPFOLD_EMPTY_RANGE;
  } catch (const std::bad_alloc& e) {
    last_message() = wf::message("warpfold: out of memory (", e.what(), "); free some");
    return WARPFOLD_OUT_OF_MEMORY;
  } catch (const std::exception& e) {
    last_message() = wf::message(e.what());
    return WARPFOLD_FAILED;
  } catch (...) {
    last_message() = wf::message("warpfold: an unknown exception");
    return WARPFOLD_FAILED;
  }
}

}  // namespace

void refuse_operation(const char* call, warpfold_operation operation, warpfold_type type) {
  wf::throw_error<wf::invalid_argument>("warpfold: ", call, " has no operation WARPFOLD_",
                                        operation_names[operation], " for elements of type ",
                                        type_names[type], "; warpfold.h lists the operations");
}

}  // namespace compiled

using namespace compiled;

extern "C" {

warpfold_type warpfold_result_type(warpfold_operation operation, warpfold_type type) {
  return is_type(type) && is_operation(operation) ? types[type]->result_type(operation)
                                                  : warpfold_type{};
}

size_t warpfold_size(warpfold_type type) { return is_type(type) ? sizes[type] : 0; }

warpfold_status warpfold_reduce(warpfold_operation operation, const warpfold_array* array,
                                int threads, void* result) {
  return status_of([&] {
    check_operation(operation);
    check_array(array, "array");
    check_result(result);
    request r{.operation = operation, .array = *array, .result = result};
    on_threads(threads, array->count, [&] { types[array->type]->reduce(r); });
  });
}

warpfold_status warpfold_dot(const warpfold_array* a, const warpfold_array* b, int exact,
                             int threads, void* result) {
  return status_of([&] {
    check_array(a, "a");
    check_array(b, "b");
    check_result(result);
    if (a->type != b->type) {
      wf::throw_error<wf::invalid_argument>("warpfold: the arrays of warpfold_dot have types ",
                                            type_names[a->type], " and ", type_names[b->type],
                                            "; pass arrays of one type");
    }
    if (exact != 0 && types[a->type]->result_type(WARPFOLD_EXACT_SUM) == warpfold_type{}) {
      wf::throw_error<wf::invalid_argument>(
          "warpfold: an exact warpfold_dot takes floating-point and complex numbers, but the "
          "arrays have type ",
          type_names[a->type], "; pass 0 for `exact`");
    }
    request r{.operation = WARPFOLD_SUM,
              .array = *a,
              .factor = b,
              .is_exact = exact != 0,
              .result = result};
    on_threads(threads, a->count, [&] { types[a->type]->dot(r); });
  });
}

warpfold_status warpfold_reduce_segments(warpfold_operation operation, const warpfold_array* array,
                                         const int64_t* offsets, size_t segments, int threads,
                                         void* results) {
  return status_of([&] {
    check_operation(operation);
    check_array(array, "array");
    if (array->stride != 1) {
      wf::throw_error<wf::invalid_argument>(
          "warpfold: the array of warpfold_reduce_segments has a "
          "stride of ",
          array->stride, "; pass contiguous elements");
    }
    if (segments == SIZE_MAX) {
      wf::throw_error<wf::invalid_argument>(
          "warpfold: the number of segments is SIZE_MAX; pass the number of offsets less 1");
    }
    if (segments == 0) return;
    if (offsets == nullptr || results == nullptr) {
      wf::throw_error<wf::invalid_range>("warpfold: the pointer to the ",
                                         offsets == nullptr ? "offsets" : "results",
                                         " is null, but there are ", segments,
                                         " segments; pass one result for each, and one "
                                         "offset more");
    }
    request r{.call = "warpfold_reduce_segments",
              .operation = operation,
              .array = *array,
              .offsets = offsets,
              .segments = segments,
              .result = results};
    on_threads(threads, array->count + segments, [&] { types[array->type]->reduce_segments(r); });
  });
}

warpfold_status warpfold_run_lengths(const warpfold_array* keys, int threads, void* keys_out,
                                     uint64_t* lengths, size_t* runs) {
  return status_of([&] {
    check_keys(keys, keys_out, lengths, runs);
    const request r{.array = *keys, .keys_out = keys_out, .lengths = lengths, .runs = runs};
    on_threads(threads, keys->count, [&] { types[keys->type]->run_lengths(r); });
  });
}

warpfold_status warpfold_reduce_by_key(warpfold_operation operation, const warpfold_array* keys,
                                       const warpfold_array* values, int threads, void* keys_out,
                                       void* results, size_t* runs) {
  return status_of([&] {
    check_operation(operation);
    check_keys(keys, keys_out, results, runs);
    check_array(values, "values");
    if (values->stride != 1) {
      wf::throw_error<wf::invalid_argument>("warpfold: the values have a stride of ",
                                            values->stride, "; pass contiguous elements");
    }
    if (values->count != keys->count) {
      wf::throw_error<wf::invalid_range>("warpfold: warpfold_reduce_by_key needs one value for ",
                                         "each key, but there are ", keys->count, " keys and ",
                                         values->count, " values; pass arrays of one count");
    }
    // No segments: only checks the operation. The keys are written last, so that an error leaves
    // all outputs as they were.
    std::vector<std::int64_t> offsets(keys->count + 1);
    request folds{.call = "warpfold_reduce_by_key",
                  .operation = operation,
                  .array = *values,
                  .offsets = offsets.data()};
    types[values->type]->reduce_segments(folds);
    const std::size_t size = sizes[keys->type];
    const std::size_t result_size = sizes[types[values->type]->result_type(operation)];
    std::vector<unsigned char> first_keys(keys->count * size);
    std::size_t count = 0;
    static_assert(sizeof(std::int64_t) == sizeof(std::uint64_t));
    auto* const lengths = reinterpret_cast<std::uint64_t*>(offsets.data() + 1);
    const request lengths_of{
        .array = *keys, .keys_out = first_keys.data(), .lengths = lengths, .runs = &count};
    on_threads(threads, keys->count, [&] {
      types[keys->type]->run_lengths(lengths_of);
      for (std::size_t r = 0; r < count; ++r) offsets[r + 1] += offsets[r];
      wf::runtime::check_host_pointer(keys_out, count * size, alignments[keys->type],
                                      "the output of the keys");
      const std::size_t of_keys = count * size, of_results = count * result_size;
      wf::detail::require_own_memory(keys_out, of_keys, results, of_results);
      for (const warpfold_array* in : {keys, values}) {
        const std::size_t read = in->count * sizes[in->type];
        wf::detail::require_outside_input(keys_out, of_keys, in->data, read);
        wf::detail::require_outside_input(results, of_results, in->data, read);
      }
      folds.segments = count;
      folds.result = results;
      if (count != 0) types[values->type]->reduce_segments(folds);
    });
    if (count != 0) std::memcpy(keys_out, first_keys.data(), count * size);
    *runs = count;
  });
}

warpfold_status warpfold_reduce_axis(warpfold_operation operation, const void* data,
                                     warpfold_type type, int rank, const size_t* extents,
                                     const size_t* strides, int axis, int threads, void* results) {
  return status_of([&] {
    check_operation(operation);
    if (rank < 1 || rank > 8) {
      wf::throw_error<wf::invalid_argument>("warpfold: the rank of the array is ", rank,
                                            "; pass 1 to 8");
    }
    if (axis < 0 || axis >= rank) {
      wf::throw_error<wf::invalid_argument>("warpfold: the axis is ", axis, ", but the array has ",
                                            rank, " dimensions; pass 0 to ", rank - 1);
    }
    if (extents == nullptr) {
      wf::throw_error<wf::invalid_range>("warpfold: the pointer to the extents is null; pass ",
                                         rank, " of them");
    }
    std::size_t of_rows[8], count = 1, kept = 1;
    for (int d = rank - 1; d >= 0; --d) {
      of_rows[d] = count;
      if (__builtin_mul_overflow(count, extents[d], &count)) {
        wf::throw_error<wf::invalid_range>(
            "warpfold: the product of the extents is larger than the address space; check them");
      }
      if (d != axis) kept *= extents[d];
    }
    const warpfold_array array{data, count, 1, type};
    check_array(&array, "data");
    if (kept != 0) check_result(results);
    request r{.call = "warpfold_reduce_axis",
              .operation = operation,
              .array = array,
              .rank = rank,
              .axis = axis,
              .extents = extents,
              .strides = strides != nullptr ? strides : of_rows,
              .result = results};
    on_threads(threads, count, [&] { types[type]->reduce_axis(r); });
  });
}

const char* warpfold_message(void) { return last_message().c_str(); }

#define COMPILED_TEXT_OF(x) #x
#define COMPILED_TEXT(x) COMPILED_TEXT_OF(x)
const char* warpfold_version(void) {
  return COMPILED_TEXT(WARPFOLD_VERSION_MAJOR) "." COMPILED_TEXT(
      WARPFOLD_VERSION_MINOR) "." COMPILED_TEXT(WARPFOLD_VERSION_PATCH);
}

}  // extern "C"
