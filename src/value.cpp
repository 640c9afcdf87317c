#include "value.hpp"

#include <charconv>

namespace warpfold::program {
namespace {

template <class T>
std::string shortest(T x) {
  char text[64];
  const auto end = std::to_chars(text, text + sizeof text, x).ptr;
  return {text, end};
}

template <class T>
std::string shortest(const std::complex<T>& z) {
  const std::string imaginary = shortest(z.imag());
  return shortest(z.real()) + (imaginary.starts_with('-') ? "" : "+") + imaginary + "j";
}

std::string shortest(bool b) { return b ? "true" : "false"; }

std::string shortest(const vec3& v) {
  return "(" + shortest(v.x) + ", " + shortest(v.y) + ", " + shortest(v.z) + ")";
}

std::string shortest(const place& p) {
  return std::visit([](const auto& x) { return shortest(x); }, p.element) + " at " +
         shortest(p.index);
}

struct namer {
  std::string_view operator()(std::int64_t) const { return "int64"; }
  std::string_view operator()(std::uint64_t) const { return "uint64"; }
  std::string_view operator()(float) const { return "float32"; }
  std::string_view operator()(double) const { return "float64"; }
  std::string_view operator()(bool) const { return "bool"; }
  std::string_view operator()(const std::complex<float>&) const { return "complex64"; }
  std::string_view operator()(const std::complex<double>&) const { return "complex128"; }
  std::string_view operator()(const vec3&) const { return "float3"; }
  std::string_view operator()(const place& p) const {
    return std::visit([](const auto& x) { return namer{}(x); }, p.element);
  }
};

}  // namespace

value presented(const value& v, element e, op o) {
  const auto* const bits = std::get_if<std::uint64_t>(&v);
  if (bits == nullptr) return v;
  const bool arithmetic = o == op::plus || o == op::multiplies;
  if (e == element::boolean) {
    if (o == op::plus) return static_cast<std::int64_t>(*bits);
    if (o == op::bit_xor) return *bits % 2 != 0;
    const bool truth = *bits != 0;
    return arithmetic ? value(std::int64_t{truth}) : value(truth);
  }
  if (!is_signed_integer(e)) return v;
  // Extends the sign bit of the element's width to 64 bits; sums already have 64 bits.
  const unsigned unused = arithmetic ? 0 : 64 - 8 * static_cast<unsigned>(bytes_of(e));
  return static_cast<std::int64_t>(*bits << unused) >> unused;
}

std::string to_string(const value& v) {
  return std::visit([](const auto& x) { return shortest(x); }, v);
}

std::string_view type_name(const value& v) { return std::visit(namer{}, v); }

}  // namespace warpfold::program
