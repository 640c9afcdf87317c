// No warning in folds and transformations of expressions of arrays.
// expect: ok
// warnings: none
// needs: cccl boost_context tbb
#include <warpfold/policy/emulated.hpp>
#include <warpfold/policy/par.hpp>
#include <warpfold/reduce_axis.hpp>
#include <warpfold/transform.hpp>

#include <vector>

#include <cuda/std/mdspan>

namespace warnings {

namespace wf = warpfold;

template <class T, std::size_t Rank>
using box = cuda::std::mdspan<T, cuda::std::dextents<int, Rank>>;

struct first_of_three {
  template <class A, class B, class C>
  WARPFOLD_HD A operator()(const A& a, const B&, const C&) const {
    return a;
  }
};

template <class T, class Policy>
void every_expression(const Policy& policy) {
  const box<const T, 2> m{};
  const box<const double, 2> n{};
  const box<const T, 6> deep{};
  const std::vector<float> v;
  std::vector<T> out;
  std::vector<long> sums;
  const auto e = wf::project(wf::zip(m, n, wf::broadcast<1>(v)), first_of_three{});
  wf::reduce_axis<0>(policy, e, wf::plus{}, sums);
  wf::reduce_axis<1>(policy, e, wf::arg(wf::minimum{}), sums);
  wf::reduce_axis_async<1>(policy, wf::project(m, [] WARPFOLD_HD(T x) { return x; }), wf::plus{},
                           sums);
  wf::reduce_axes<0, 2, 5>(policy, deep, wf::maximum{}, box<T, 3>{});
  wf::reduce_axis<0>(policy, m, wf::all(wf::plus{}, wf::arg(wf::maximum{})),
                     wf::zip(box<double, 1>{}, box<int, 1>{}));
  wf::transform(policy, wf::zip(m, n, wf::broadcast<0>(v)), box<T, 2>{}, first_of_three{});
  wf::transform_async(policy, wf::zip(m, n, wf::broadcast<0>(v)), out, first_of_three{});
}

void all() {
  every_expression<float>(wf::seq);
  every_expression<short>(wf::par);
  every_expression<unsigned char>(wf::emulated);
}

}  // namespace warnings
