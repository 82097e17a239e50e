// two phases, several functions, same array mapped by each; loops of one iteration; output in
// between; unique_ptr
#include <cstdio>
#include <memory>
static void fill(float* x, int n) {
#pragma omp target teams distribute parallel for map(from : x[0 : n])
  for (int i = 0; i < n; i++) x[i] = i % 21;
}
static void smooth(const float* x, float* y, int n) {
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(from : y[0 : n])
  for (int i = 0; i < n; i++) y[i] = i > 0 && i < n - 1 ? (x[i - 1] + x[i] + x[i + 1]) / 3 : x[i];
}
static void threshold(float* x, int n, float t) {
#pragma omp target teams distribute parallel for map(tofrom : x[0 : n])
  for (int i = 0; i < n; i++)
    if (x[i] < t) x[i] = 0;
}
static float maxv(const float* x, int n) {
  float m = -1;
#pragma omp target teams distribute parallel for map(to : x[0 : n]) reduction(max : m)
  for (int i = 0; i < n; i++) m = x[i] > m ? x[i] : m;
  return m;
}
int main() {
  const int n = 150000;
  std::unique_ptr<float[]> a(new float[n]), b(new float[n]);
  fill(a.get(), n);
  smooth(a.get(), b.get(), n);
  threshold(b.get(), n, 3.f);
  std::printf("max %.4f\n", maxv(b.get(), n));
  smooth(b.get(), a.get(), n);
  std::printf("max %.4f\n", maxv(a.get(), n));
  double s = 0;
  for (int i = 0; i < n; i++) s += a[i] + b[i];
  std::printf("%.4f\n", s);
}
