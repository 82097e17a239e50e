// A program without target regions, linked to a library that has them. So it can be built with
// sanitizers, which clang does not allow in the device's image.

#include <cstdio>

extern "C" int library_steps(int count);

int main() {
  std::printf("%d steps\n", library_steps(5));
  return 14;
}
