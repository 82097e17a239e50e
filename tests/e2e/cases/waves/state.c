#include <stdlib.h>

#include "waves.h"

void wave_init(wave_t* wave, int n) {
  wave->n = n;
  wave->c = 0.5;
  wave->before = malloc(n * sizeof(double));
  wave->now = malloc(n * sizeof(double));
  wave->next = malloc(n * sizeof(double));
  for (int i = 0; i < n; ++i) {
    wave->before[i] = wave->now[i] = 4.0 * i * (n - 1 - i) / ((n - 1.0) * (n - 1));
    wave->next[i] = 0;
  }
}

void wave_free(wave_t* wave) {
  free(wave->before);
  free(wave->now);
  free(wave->next);
}
