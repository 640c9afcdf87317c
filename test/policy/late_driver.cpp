// Replaces libcuda.so.1 in late_driver_test.cpp: reports all memory as device memory.
extern "C" int cuPointerGetAttribute(void* data, int attribute, unsigned long long) {
  constexpr int memory_type = 2;
  constexpr unsigned device = 2;
  *static_cast<unsigned*>(data) = attribute == memory_type ? device : 0;
  return 0;
}
