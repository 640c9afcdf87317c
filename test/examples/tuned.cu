// A tuning is a table of launches for wf::device. This example writes, changes and reads one.
// `warpfold tune --out gpu.tuning` measures one for the GPU.
#include <filesystem>
#include <fstream>
#include <iostream>
#include <vector>

#include <warpfold/reduce.hpp>
#include <warpfold/runtime/buffer.hpp>
#include <warpfold/runtime/current_device.hpp>
#include <warpfold/tuning_text.hpp>

namespace wf = warpfold;

int main() try {
  const std::vector<float> host(1 << 20, 0.5f);
  const wf::device_buffer<float> v(host);

  // The built-in table, with another launch from 1 MB on.
  const auto& gpu = wf::runtime::current_device_info();
  wf::tuning table = wf::tuning::of(gpu);
  table.rows[0].block = 256;
  table.count = 1;
  table.rows[table.count++] = {1 << 20, 1024, 1, wf::caching::keep};

  const auto folder = std::filesystem::temp_directory_path() / "warpfold_example_tuned";
  std::filesystem::create_directories(folder);
  std::filesystem::current_path(folder);
  std::ofstream("gpu.tuning") << wf::to_text(table);

  const auto tuned = wf::device.with(wf::read_tuning("gpu.tuning"));
  float sum = wf::reduce(tuned, v, wf::plus{});
  std::cout << wf::to_text(table) << "the sum is " << sum << '\n';

  // A table for another GPU throws; the message names the field that differs.
  table.multiprocessors += 1;
  bool refused = false;
  try {
    (void)wf::reduce(wf::device.with(table), v, wf::plus{});
  } catch (const wf::invalid_tuning& e) {
    std::cout << e.what() << '\n';
    refused = true;
  }
  return sum == 0.5f * (1 << 20) && refused ? 0 : 1;
} catch (const wf::no_device& e) {
  std::cerr << e.what() << '\n';
  return 77;
}
