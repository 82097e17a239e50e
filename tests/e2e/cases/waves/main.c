#include <stdio.h>
#include <stdlib.h>

#include "waves.h"

int main(int argc, char** argv) {
  const int steps = argc > 1 ? atoi(argv[1]) : 40;
  wave_t wave;
  wave_init(&wave, 50000);
  double energy = 0;
  for (int t = 0; t < steps; ++t) {
    wave_step(&wave);
    wave_damp(&wave, 0.999);
    energy += wave_energy(&wave);
  }
  printf("%.9f %.9f\n", energy, wave.now[25000]);
  wave_free(&wave);
  return 0;
}
