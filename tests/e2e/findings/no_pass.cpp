// Data that a loop sends before each kernel, unless it has no iteration.
#include <cstdio>
#include <cstdlib>
int main(int argc, char** argv) {
  int n = 20000, repeat = atoi(argv[1]);
  float* w = (float*)malloc(n * 4);
  for (int i = 0; i < n; i++) w[i] = 7;
#pragma omp target enter data map(to : w[0 : n])
#pragma omp target exit data map(delete : w[0 : n])
  float* a = (float*)malloc(n * 4);
  for (int i = 0; i < n; i++) a[i] = i;
#pragma omp target data map(tofrom : a[0 : n])
  {
    for (int r = 0; r < repeat; r++) {
#pragma omp target update to(a[0 : n])
#pragma omp target teams distribute parallel for
      for (int i = 0; i < n; i++) a[i] = a[i] * 0.5f + r;
    }
  }
  double s = 0;
  for (int i = 0; i < n; i++) s += a[i];
  printf("sum %g\n", s);
}
