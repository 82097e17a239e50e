#include <cstdio>
#include <cstdlib>
#include <vector>
int main(int argc, char** argv) {
  int n = atoi(argv[1]), steps = atoi(argv[2]);
  float* a = (float*)malloc(n * 4);
  for (int i = 0; i < n; i++) a[i] = i;
  for (int s = 0; s < steps; s++) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n])
    for (int i = 0; i < n; i++) a[i] += 1;
  }
  std::vector<float> v, w;
  for (int i = 0; i < n; i++)
    if (a[i] > 7) v.push_back(a[i]);
#ifndef ONE
  for (int i = 0; i < n; i++)
    if (a[i] > 9) w.push_back(a[i]);
#endif
  printf("%zu %zu\n", v.size(), w.size());
  printf("%g\n", a[n - 1]);
}
