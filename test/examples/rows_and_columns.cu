// Folds each row and each column of a matrix to one value on the GPU. axis.cpp does so on the host.
#include <cmath>
#include <iostream>
#include <vector>

#include <cuda/std/mdspan>

#include <warpfold/reduce_axis.hpp>
#include <warpfold/runtime/buffer.hpp>

namespace wf = warpfold;
namespace cs = cuda::std;

int main() try {
  constexpr int rows = 300, columns = 70;
  std::vector<double> host(rows * columns);
  for (int i = 0; i < rows * columns; ++i) host[i] = static_cast<double>(i * 37 % 101);
  const wf::device_buffer<double> values(host);
  const cs::mdspan<const double, cs::dextents<int, 2>> m(values.data(), rows, columns);

  wf::device_buffer<double> row_sums(rows);
  wf::reduce_axis<1>(wf::device, m, wf::plus{}, row_sums);

  // The mean and variance of each column; then its greatest element and the row of that element.
  wf::device_buffer<wf::moments> means(columns);
  wf::reduce_axis<0>(wf::device, m, wf::moments_op{}, means);
  wf::device_buffer<wf::indexed<double>> greatest(columns);
  wf::reduce_axis<0>(wf::device, m, wf::arg(wf::maximum{}), greatest);

  // On a stream, without waiting.
  cudaStream_t stream{};
  cudaStreamCreate(&stream);
  wf::device_buffer<double> column_sums(columns);
  wf::reduce_axis_async<0>(wf::device.on(stream), m, wf::plus{}, column_sums);
  cudaStreamSynchronize(stream);
  cudaStreamDestroy(stream);

  // The same memory as a column-major matrix: the rows of `m` are its columns.
  const cs::mdspan<const double, cs::dextents<int, 2>, cs::layout_left> by_columns(values.data(),
                                                                                   columns, rows);
  wf::device_buffer<double> again(rows);
  wf::reduce_axis<0>(wf::device, by_columns, wf::plus{}, again);

  // The elements are small integers, so that every order gives the same sums.
  std::vector<double> of_rows(rows);
  std::vector<double> of_columns(columns);
  std::vector<wf::indexed<double>> most(columns, {-1, 0});
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < columns; ++c) {
      const double x = host[r * columns + c];
      of_rows[r] += x;
      of_columns[c] += x;
      if (x > most[c].value) most[c] = {x, r};  // the first of equal elements
    }
  }
  bool right = row_sums.to_host() == of_rows && again.to_host() == of_rows &&
               column_sums.to_host() == of_columns && greatest.to_host() == most;
  const std::vector<wf::moments> found = means.to_host();
  for (std::size_t c = 0; c < columns; ++c) {
    right = right && std::abs(found[c].mean - of_columns[c] / rows) < 1e-9;
  }
  std::cout << of_rows[0] << ' ' << found[0].mean << ' ' << most[0].value << " in row "
            << most[0].index << (right ? "\n" : ": not what the GPU found\n");
  return right ? 0 : 1;
} catch (const wf::no_device& e) {
  std::cerr << e.what() << '\n';
  return 77;
}
