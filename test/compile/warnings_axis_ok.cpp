// No warning in a fold along an axis, in matrices and in structs of arrays.
// expect: ok
// warnings: none
// needs: cccl boost boost_context tbb
#include <boost/hana.hpp>

#include <warpfold/explain_axis.hpp>
#include <warpfold/named.hpp>
#include <warpfold/policy/emulated.hpp>
#include <warpfold/policy/par.hpp>
#include <warpfold/reduce_axis.hpp>
#include <warpfold/soa.hpp>

#include <cuda/std/mdspan>

#include "compile/warnings_calls.hpp"

namespace warnings {

struct particle {
  BOOST_HANA_DEFINE_STRUCT(particle, (float, mass), (double, charge), (short, id), (char, kind));
};
struct mass_of {
  WARPFOLD_HD float operator()(const particle& p) const { return p.mass; }
};
struct summary {
  BOOST_HANA_DEFINE_STRUCT(summary, (double, sum), (double, least));
};

template <class T, std::size_t Rank>
using box = cuda::std::mdspan<T, cuda::std::dextents<int, Rank>>;
template <class T>
using sides = cuda::std::mdspan<T, cuda::std::dextents<std::size_t, 2>, cuda::std::layout_stride>;

template <class T, class Policy>
void every_axis(const Policy& policy) {
  const box<const T, 2> m{};
  const sides<const T> strided{};
  const box<const T, 3> cube{};
  std::vector<float> floats;
  std::vector<short> shorts;
  wf::reduce_axis<0>(policy, m, wf::plus{}, floats);
  wf::reduce_axis<1>(policy, m, wf::plus{}, shorts);
  wf::reduce_axis<1>(policy, strided, wf::minimum{}, floats);
  wf::reduce_axis<1>(policy, cube, wf::maximum{}, box<T, 2>{});
  std::vector<wf::moments> moments;
  wf::reduce_axis_async<0>(policy, m, wf::moments_op{}, moments);
  std::vector<wf::indexed<T>> places;
  wf::reduce_axis<1>(policy, m, wf::arg(wf::minimum{}), places);
  wf::explain_axis<0>(policy, m, wf::plus{});
  wf::reduce(policy, m, wf::plus{});
  wf::reduce(policy, wf::matrix(strided), wf::plus{});
  wf::reduce(policy, wf::project(strided, to_double{}), wf::maximum{});
}

template <class Policy>
void every_soa(const Policy& policy) {
  wf::host_soa<particle> all(std::vector<particle>{});
  all.push({});
  const particle last = all[0];
  wf::reduce(policy, all.template field<&particle::charge>(), wf::plus{});
  wf::reduce(policy, all.template field<&particle::id>(), wf::plus{});
  wf::reduce(policy, all, second{});
  wf::sum(policy, wf::project(all, mass_of{}));
  wf::copy(policy, std::vector<particle>{last}, all);
  wf::copy(policy, all, all);
  const auto both = wf::reduce(policy, std::vector<float>{}, wf::all(wf::plus{}, wf::minimum{}));
  (void)wf::named<summary>(both);
  using namespace wf::literals;
  (void)wf::named(both, "sum"_s, "least"_s);
}

void all() {
  every_axis<float>(wf::seq);
  every_axis<short>(wf::par);
  every_axis<unsigned>(wf::emulated);
  every_soa(wf::emulated);
}

}  // namespace warnings
