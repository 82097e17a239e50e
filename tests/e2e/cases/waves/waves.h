// A wave on a string: its state, and what is done in each time step, in files of their own.
#ifndef WAVES_H
#define WAVES_H

typedef struct {
  int n;
  double c;
  double *before, *now, *next;
} wave_t;

void wave_init(wave_t* wave, int n);
void wave_free(wave_t* wave);
void wave_step(wave_t* wave);
void wave_damp(wave_t* wave, double by);
double wave_energy(const wave_t* wave);

#endif
