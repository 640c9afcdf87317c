// Folds of segments, of lists of ranges, of runs of equal keys and of classes, without any warning.
// expect: ok
// warnings: none
// needs: tbb boost_context
#include <span>
#include <vector>

#include <warpfold/policy/emulated.hpp>
#include <warpfold/policy/par.hpp>
#include <warpfold/reduce_by_class.hpp>
#include <warpfold/reduce_many.hpp>
#include <warpfold/transform_segments.hpp>

namespace wf = warpfold;

std::size_t call(const std::vector<float>& v, const std::vector<int>& n, std::vector<float>& out,
                 std::vector<int>& places, std::vector<double>& wide,
                 std::vector<wf::moments>& moments) {
  const auto times = [](float a, int b) { return a * static_cast<float>(b); };
  wf::reduce_segments(wf::seq, v, n, wf::plus{}, out);
  wf::reduce_segments(wf::seq, v, n, wf::plus{}, wf::accumulate(out));
  wf::reduce_segments(wf::par, n, wf::segments_of_size(4), wf::arg(wf::maximum{}), places);
  wf::reduce_segments_async(wf::par, wf::project(wf::zip(v, n), times), wf::segments_between(n, n),
                            wf::plus{}, 2.0, wide);
  wf::reduce_segments(wf::emulated, v, n, wf::moments_op{}, moments);
  wf::reduce_segments(wf::emulated, n, n, wf::minimum{}, 3, places);
  wf::reduce_segments(wf::emulated, wf::project(wf::zip(v, n), times), wf::segments_between(n, n),
                      wf::plus{}, wf::accumulate(out));
  wf::reduce_segments(wf::emulated, wf::project(wf::zip(v, n), times), wf::segments_of_size(4),
                      wf::plus{}, out);
  wf::reduce_segments(wf::emulated, v, wf::segments_of_size(4), wf::plus{}, 2.0, wide);
  const std::span whole(v);
  wf::reduce_many(wf::seq, {whole, whole.first(2)}, wf::plus{}, out);
  wf::reduce_many(wf::par, std::vector{v, v}, wf::arg(wf::maximum{}), places);
  wf::reduce_many_async(wf::seq, std::vector{n, n}, wf::minimum{}, 3, places);
  wf::reduce_many(wf::emulated, {whole, whole}, wf::moments_op{}, moments);
  wf::reduce_many(wf::emulated, {whole, whole}, wf::plus{}, 2.0, wide);
  wf::reduce_many_async(wf::emulated, {whole}, wf::plus{}, wf::accumulate(out));
  wf::count_by_class(wf::par, n, 4, places);
  wf::reduce_by_class(wf::seq, n, v, 4, wf::moments_op{}, moments);
  wf::count_by_class_async(wf::seq, n, 4, places);
  wf::reduce_by_class_async(wf::par, n, v, 4, wf::moments_op{}, moments);
  wf::run_lengths_async(wf::par, n, places, wide, places);
  wf::reduce_by_key_async(wf::seq, n, v, wf::minimum{}, places, out, &places[0]);
  wf::transform_segments(wf::seq, v, n, n, out, times);
  wf::transform_segments_async(wf::par, v, n, n, out, times);
  return wf::reduce_by_key(wf::par, n, v, wf::minimum{}, places, out) +
         wf::run_lengths(wf::seq, n, places, wide);
}
