// An array for each field: a sum of one field reads only that field.
// needs: boost
#include <iostream>
#include <vector>

#include <warpfold/reduce.hpp>
#include <warpfold/soa.hpp>

namespace wf = warpfold;

// A struct needs only this macro; BOOST_HANA_ADAPT_STRUCT after the struct is the alternative.
struct particle {
  BOOST_HANA_DEFINE_STRUCT(particle, (float, mass), (double, charge), (int, id));
};

// The heavier of two; the first of equal ones.
struct heavier {
  WARPFOLD_HD particle operator()(const particle& a, const particle& b) const {
    if (a.mass != b.mass) return a.mass > b.mass ? a : b;
    return a.id < b.id ? a : b;
  }
};

int main() {
  std::vector<particle> some;
  for (int i = 0; i < 1000; ++i) some.push_back({static_cast<float>(i % 100), 0.5, i});

  // In a file for nvcc, wf::soa<particle> has the arrays on the GPU, for wf::device.
  wf::host_soa<particle> all(some);
  all.push({1000, -0.5, 1000});

  const double charge = wf::reduce(wf::seq, all.field<&particle::charge>(), wf::plus{});
  const particle heaviest = wf::reduce(wf::seq, all, heavier{});
  for (float& mass : all.field<&particle::mass>()) mass *= 2;
  const particle last = all[1000];

  std::cout << charge << ' ' << heaviest.id << ' ' << last.mass << '\n';
  return charge == 499.5 && heaviest.id == 1000 && last.mass == 2000 ? 0 : 1;
}
