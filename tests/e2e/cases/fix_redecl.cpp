#include <stdio.h>
#include <stdlib.h>

#include <vector>
struct dom {
  std::vector<double> m_ss, m_e;
};
int main() {
  int n = 100000;
  dom d;
  d.m_ss.resize(n);
  d.m_e.resize(n);
  dom* loc = &d;
  for (int i = 0; i < n; i++) d.m_ss[i] = i, d.m_e[i] = 1;
  double* e = &loc->m_e[0];
  double* ss = &loc->m_ss[0];
  for (int k = 0; k < 20; k++) {
    dom& domain = *loc;
    if (k >= 0) {
      double* ss = &domain.m_ss[0];
#pragma omp target teams distribute parallel for map(tofrom : e[0 : n], ss[0 : n])
      for (int i = 0; i < n; i++) e[i] += ss[i];
    }
#pragma omp target teams distribute parallel for map(tofrom : e[0 : n], ss[0 : n])
    for (int i = 0; i < n; i++) e[i] += ss[i];
  }
  printf("%f\n", e[7]);
}
