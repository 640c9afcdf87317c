// expect: broadcast takes an mdspan or a contiguous range
#include <deque>

#include <warpfold/reduce_axis.hpp>

auto call(const std::deque<float>& v) { return warpfold::broadcast<1>(v); }
