// A program without target regions of its own, linked to a library that has them: so it can be
// built with sanitizers, which clang does not let into the device's image.

#include <cstdio>

extern "C" int library_steps(int count);

int main() {
  std::printf("%d steps\n", library_steps(5));
  return 14;
}
