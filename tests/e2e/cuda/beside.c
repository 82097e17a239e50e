// A kernel on one array, then the upload of another one, again and again. With an argument the
// kernel reads the uploaded array, so that the upload has to wait.
#include <stdlib.h>

int main(int argc, char** argv) {
  (void)argv;
  int n = 100000;
  double* a = malloc(n * sizeof(double));
  double* b = malloc(n * sizeof(double));
  for (int i = 0; i < n; i++) a[i] = b[i] = i;
#pragma omp target enter data map(to : a[0 : n], b[0 : n])
  for (int step = 0; step < 10; step++) {
    if (argc > 1) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n]) map(to : b[0 : n])
      for (int i = 0; i < n; i++) a[i] += b[i];
    } else {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n])
      for (int i = 0; i < n; i++) a[i] += 1;
    }
    for (int i = 0; i < n; i++) b[i] += 1;
#pragma omp target update to(b[0 : n])
  }
#pragma omp target exit data map(from : a[0 : n]) map(release : b[0 : n])
  free(a);
  free(b);
  return 0;
}
