// The host's memory may not be read while kernels name its copy on the device: the recorder must
// not touch it.
#include <stdio.h>
#include <sys/mman.h>

enum { N = 100000 };

int main(void) {
  double* a = mmap(NULL, N * sizeof *a, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  double sum = 0;
  for (int i = 0; i < N; ++i) a[i] = 1;
#pragma omp target enter data map(to : a[0 : N])
  mprotect(a, N * sizeof *a, PROT_NONE);
  for (int step = 0; step < 3; ++step) {
#pragma omp target teams distribute parallel for reduction(+ : sum) map(to : a[0 : N])
    for (int i = 0; i < N; ++i) sum += a[i];
  }
#pragma omp target exit data map(delete : a[0 : N])
  printf("%g\n", sum);
  return 0;
}
