// Shows the effect of a missing barrier. Each block mirrors a tile of a picture through shared
// memory, once with a barrier between writing and reading, and once without. Writes
// mirrored_right.png and mirrored_wrong.png into the folder of the first argument (or the current
// one), and prints the report of the emulation's race checker for the second.
//
// Source: the Numba course's example 2.5, blobs_2d.
//
// needs: boost_context png
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <numbers>
#include <stdexcept>
#include <string>
#include <vector>

#include <png.h>

#include <warpfold/collective/global_array.hpp>
#include <warpfold/collective/shared_array.hpp>
#include <warpfold/runtime/emulated_launcher.hpp>

namespace {

using namespace warpfold;

constexpr unsigned width = 1024;
constexpr unsigned tile = 16;

// Blobs: a wave along each side of the picture.
float amplitude(unsigned x, unsigned y) {
  const auto wave = [](unsigned at) {
    return 1 + std::sin(2 * std::numbers::pi_v<float> * (static_cast<float>(at) - 64) / 256);
  };
  return wave(x) * wave(y);
}

template <bool WithBarrier>
struct mirror {
  static constexpr int max_block = tile * tile;
  static constexpr bool calls_user_functions = false;

  collective::global_array<float> picture;

  void operator()() const {
    WARPFOLD_SHARED collective::shared_array<float, tile * tile> values;
    const unsigned x = blockIdx.x * tile + threadIdx.x, y = blockIdx.y * tile + threadIdx.y;
    values.store(threadIdx.y * tile + threadIdx.x, amplitude(x, y));
    if constexpr (WithBarrier) __syncthreads();
    const unsigned mirrored = (tile - 1 - threadIdx.y) * tile + tile - 1 - threadIdx.x;
    picture.store(y * width + x, values.load(mirrored));
  }
};

emulation::launcher launcher_for(std::vector<float>& picture) {
  emulation::launcher on(emulation::default_gpu, nullptr);
  on.allow(picture.data(), picture.size() * sizeof(float), true);
  return on;
}

const launch_shape shape{{width / tile, width / tile}, {tile, tile}};

// From dark blue over red to yellow.
void write_png(const std::string& path, const std::vector<float>& picture) {
  std::vector<std::uint8_t> pixels;
  for (const float a : picture) {
    const float t = a / 4;  // amplitudes are 0 to 4
    const auto part = [](float x) {
      return static_cast<std::uint8_t>(255 * (x < 0 ? 0 : x > 1 ? 1 : x));
    };
    pixels.insert(pixels.end(), {part(2 * t), part(2 * t - 1), part(0.4f - std::fabs(t - 0.2f))});
  }
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = image.height = width;
  image.format = PNG_FORMAT_RGB;
  if (png_image_write_to_file(&image, path.c_str(), 0, pixels.data(), 0, nullptr) == 0) {
    throw std::runtime_error(path + ": " + image.message);
  }
  std::printf("wrote %s\n", path.c_str());
}

}  // namespace

int main(int argc, char** argv) try {
  const std::string folder = argc > 1 ? std::string(argv[1]) + "/" : "";
  std::vector<float> picture(std::size_t{width} * width);

  launcher_for(picture).launch("mirror", mirror<true>{{picture.data(), picture.size()}}, shape);
  write_png(folder + "mirrored_right.png", picture);
  const float right = picture[17 * width + 20];

  emulation::launcher careless = launcher_for(picture);
  careless.let_races_happen();
  careless.launch("mirror", mirror<false>{{picture.data(), picture.size()}}, shape);
  write_png(folder + "mirrored_wrong.png", picture);
  const float wrong = picture[17 * width + 20];

  bool caught = false;
  try {
    launcher_for(picture).launch("mirror", mirror<false>{{picture.data(), picture.size()}}, shape);
  } catch (const emulation_error& e) {
    std::printf("without the barrier: %s\n", e.what());
    caught = true;
  }
  return caught && right == amplitude(27, 30) && wrong != right ? 0 : 1;
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}
