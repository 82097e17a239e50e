// Objects are made right before a loop that the compiler unrolls.
#include <cstdio>
struct Vec {
  double* d;
  int n;
  Vec(int size, double value) : d(new double[size]), n(size) {
    for (int i = 0; i < n; i++) d[i] = value;
  }
  ~Vec() { delete[] d; }
  void axpy(double a, const Vec& o) {
#pragma omp target teams distribute parallel for map(tofrom : d[0 : n]) map(to : o.d[0 : n])
    for (int i = 0; i < n; i++) d[i] += a * o.d[i];
  }
};
int main() {
  Vec x(50000, 1), y(50000, 2), z(50000, 0);
  for (int k = 0; k < 3; k++) {
    z.axpy(0.5, x);
    z.axpy(0.25, y);
  }
  std::printf("%g\n", z.d[0]);
}
