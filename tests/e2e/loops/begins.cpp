// Loops of which the compiler tells a line that they do not begin in: begins SHAPE.
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

constexpr int kSize = 1000;
double a[kSize];
int pass = 0;

bool is_done() { return pass == 20; }

void do_while() {
  bool more;
  do {
#pragma omp target teams distribute parallel for map(tofrom : a)
    for (int i = 0; i < kSize; ++i) a[i] += 1;
    ++pass;
    more = !is_done();
  } while (more);
}

void ends_by_break() {
  for (;;) {
#pragma omp target teams distribute parallel for map(tofrom : a)
    for (int i = 0; i < kSize; ++i) a[i] += 1;
    ++pass;
    if (is_done()) break;
  }
}

void begins_by_break() {
  for (;;) {
    if (is_done()) break;
    ++pass;
#pragma omp target teams distribute parallel for map(tofrom : a)
    for (int i = 0; i < kSize; ++i) a[i] += 1;
  }
}

void plain() {
  while (!is_done()) {
    ++pass;
#pragma omp target teams distribute parallel for map(tofrom : a)
    for (int i = 0; i < kSize; ++i) a[i] += 1;
  }
}

}  // namespace

int main(int argc, char** argv) {
  const char* shape = argc > 1 ? argv[1] : "";
  if (std::strcmp(shape, "do_while") == 0) do_while();
  if (std::strcmp(shape, "ends_by_break") == 0) ends_by_break();
  if (std::strcmp(shape, "begins_by_break") == 0) begins_by_break();
  if (std::strcmp(shape, "plain") == 0) plain();
  std::printf("%d %g\n", pass, a[kSize - 1]);
}
