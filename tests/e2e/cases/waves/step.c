#include "waves.h"

void wave_step(wave_t* wave) {
  const int n = wave->n;
  const double c = wave->c;
  const double* before = wave->before;
  const double* now = wave->now;
  double* next = wave->next;
#pragma omp target teams distribute parallel for map(to : before[0 : n], now[0 : n]) \
    map(tofrom : next[0 : n])
  for (int i = 1; i < n - 1; ++i) {
    next[i] = 2 * now[i] - before[i] + c * (now[i - 1] - 2 * now[i] + now[i + 1]);
  }
  double* old = wave->before;
  wave->before = wave->now;
  wave->now = wave->next;
  wave->next = old;
}

void wave_damp(wave_t* wave, double by) {
  const int n = wave->n;
  double* now = wave->now;
#pragma omp target teams distribute parallel for map(tofrom : now[0 : n])
  for (int i = 0; i < n; ++i) now[i] *= by;
}

double wave_energy(const wave_t* wave) {
  const int n = wave->n;
  const double* now = wave->now;
  double sum = 0;
#pragma omp target teams distribute parallel for map(to : now[0 : n]) map(tofrom : sum) \
    reduction(+ : sum)
  for (int i = 0; i < n; ++i) sum += now[i] * now[i];
  return sum;
}
