// A library with libomptarget's name and one of its entry points, which a test opens and closes.

extern "C" [[gnu::visibility("default")]] void* omp_target_alloc(unsigned long /*bytes*/,
                                                                 int /*device*/) {
  return nullptr;
}
