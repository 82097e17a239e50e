#include <cstdio>
#include <vector>
struct M {
  std::vector<double> val;
};
void f(const M& m, const std::vector<double>& x, std::vector<double>& y) {
  const double* val = m.val.data();
  const double* xp = x.data();
  double* yp = y.data();
  const int n = x.size();
#pragma omp target teams distribute parallel for map(to : val[0 : n], xp[0 : n]) \
    map(from : yp[0 : n])
  for (int i = 0; i < n; i++) yp[i] = val[i] * xp[i];
}
void g(const std::vector<double>& x, std::vector<double>& y) {
  const double* a = x.data();
  double* b = y.data();
  const int n = x.size();
#pragma omp target teams distribute parallel for map(to : a[0 : n]) map(tofrom : b[0 : n])
  for (int i = 0; i < n; i++) b[i] += a[i];
}
int main(int c, char**) {
  const int n = 50000;
  M m{std::vector<double>(n, 1)};
  std::vector<double> q(n, 0), x(n, 0), y(n, 0);
  for (int t = 0; t < 19 + c; t++) {
    f(m, x, q);
    g(q, x);
    g(q, y);
  }
  printf("%g %g\n", x[1], y[1]);
}
