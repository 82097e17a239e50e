// A `target data` that no iteration reaches, and of whose end the compiler makes two copies.
#include <cstdio>
#include <cstdlib>

[[gnu::noinline]] void work(float* b, int n) {
#pragma omp target teams distribute parallel for map(tofrom : b[0 : n])
  for (int i = 0; i < n; i++) b[i] += 1;
}

int main(int argc, char** argv) {
  const int n = 1000;
  auto* a = static_cast<float*>(std::malloc(n * sizeof(float)));
  auto* b = static_cast<float*>(std::malloc(n * sizeof(float)));
  for (int i = 0; i < n; i++) a[i] = b[i] = i;
  for (int k = 0; k < 10; k++) {
    work(b, n);
    if (argc > 3) {
#pragma omp target data map(tofrom : b[0 : n])
      {
        for (int j = 0; j < argc; j++) work(b, n);
        if (argc > 5) std::puts("many");
      }
#pragma omp target data map(tofrom : a[0 : n]) if (argc > 4)
      {
        for (int j = 0; j < argc; j++) work(a, n);
        if (argc > 5) std::puts("more");
      }
    }
  }
  std::printf("%g %d\n", b[n - 1], n);
}
