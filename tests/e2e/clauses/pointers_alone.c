// Sections of members are mapped, and not the struct that holds their pointers.
#include <stdio.h>
#include <stdlib.h>

enum { N = 1000 };
struct Fields {
  double* in;
  double* out;
};

int main(void) {
  struct Fields f = {calloc(N, sizeof(double)), calloc(N, sizeof(double))};
#pragma omp target enter data map(to : f.in[0 : N], f.out[0 : N])
#pragma omp target teams distribute parallel for
  for (int i = 0; i < N; ++i) f.out[i] = f.in[i] + 1;
#pragma omp target exit data map(from : f.out[0 : N]) map(release : f.in[0 : N])
  printf("%d\n", f.out[3] == 1);
  free(f.in);
  free(f.out);
  return 0;
}
