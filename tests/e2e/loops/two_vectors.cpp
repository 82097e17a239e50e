// One function of the standard library, inlined into main twice.
#include <cstdio>
#include <cstdlib>
#include <vector>

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 1000;
  auto* a = static_cast<float*>(std::malloc(n * sizeof(float)));
  for (int i = 0; i < n; i++) a[i] = i;
  for (int s = 0; s < 20; s++) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n])
    for (int i = 0; i < n; i++) a[i] += 1;
  }
  std::vector<float> v, w;
  for (int i = 0; i < n; i++)
    if (a[i] > 7) v.push_back(a[i]);
  for (int i = 0; i < n; i++)
    if (a[i] > 9) w.push_back(a[i]);
  std::printf("%zu %zu\n", v.size(), w.size());
  std::free(a);
}
