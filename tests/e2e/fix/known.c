// A library function is handed the data once, and another one is called in the loop.
#include <stdio.h>
#include <stdlib.h>

struct vectors {
  double *x, *y;
};

int keep(void* any);
int note(int t);

static void axpy(struct vectors* s, int n) {
#pragma omp target teams distribute parallel for map(to : s->x[0 : n]) map(tofrom : s->y[0 : n])
  for (int i = 0; i < n; ++i) s->y[i] += 0.5 * s->x[i];
}

int main(void) {
  const int n = 50000;
  struct vectors v = {malloc(n * sizeof(double)), malloc(n * sizeof(double))};
  for (int i = 0; i < n; ++i) v.x[i] = v.y[i] = i;
  keep(v.y);
  for (int t = 0; t < 16; ++t) {
    axpy(&v, n);
    note(t);
  }
  printf("%.1f\n", v.y[n - 1]);
  free(v.x);
  free(v.y);
}

// Assembler, which no source of C shows.
__asm__(".text\n.globl keep\nkeep:\nxorl %eax, %eax\nret\n.globl note\nnote:\nxorl %eax, %eax\nret\n");
