// The struct that holds the pointers is mapped before their sections are: as compilers before LLVM
// 22 have it, too.
#include <stdio.h>
#include <stdlib.h>

enum { N = 1000 };
struct Fields {
  double* in;
  double* out;
};

int main(void) {
  struct Fields* f = malloc(sizeof *f);
  f->in = calloc(N, sizeof(double));
  f->out = calloc(N, sizeof(double));
#pragma omp target enter data map(to : f[0 : 1]) map(to : f -> in[0 : N], f->out[0 : N])
#pragma omp target teams distribute parallel for
  for (int i = 0; i < N; ++i) f->out[i] = f->in[i] + 1;
#pragma omp target exit data map(from : f->out[0 : N]) map(release : f -> in[0 : N], f[0 : 1])
  const int is_wrong = f->out[3] != 1;
  free(f->in);
  free(f->out);
  free(f);
  return is_wrong;
}
