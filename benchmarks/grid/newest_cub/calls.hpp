/// @file
/// needs: cuda
/// A column of the grid: the calls of the CUB that this file is compiled with. They use
/// wf::baseline::cub, as the calls of the toolkit's CUB do.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include <warpfold/policy/cub.hpp>

#include "grid/newest_cub/interface.hpp"
#include "grid/ops.hpp"

namespace grid {

struct table {
  struct row {
    std::string_view element, op;
    newest_cub_calls calls;
  };
  std::vector<row> rows;
};

template <class T, class Op>
void column(table& t, const char* element_name, const char* op_name, Op op, bool) {
  using R = decltype(wf::reduce(wf::seq, std::span<const T>(), op));
  static const Op kept = op;  // the functions capture nothing
  t.rows.push_back({element_name,
                    op_name,
                    {[](const void* in, std::size_t n, void* out, cudaStream_t stream) {
                       wf::reduce_async(wf::baseline::cub.on(stream),
                                        std::span<const T>(static_cast<const T*>(in), n), kept,
                                        static_cast<R*>(out));
                     },
                     [](const void* in, std::size_t n, void* out, cudaStream_t stream) {
                       *static_cast<R*>(out) = static_cast<R>(
                           wf::reduce(wf::baseline::cub.on(stream),
                                      std::span<const T>(static_cast<const T*>(in), n), kept));
                     }}});
}

}  // namespace grid
