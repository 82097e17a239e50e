// Deferred regions on several streams: copies and kernels that end after their region has.
#include <stdlib.h>

int main(void) {
  enum { kTasks = 6 };
  int n = 1 << 16;
  double* x[kTasks];
  for (int t = 0; t < kTasks; t++) {
    x[t] = malloc(n * sizeof(double));
    for (int i = 0; i < n; i++) x[t][i] = t;
  }
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    for (int t = 0; t < kTasks; t++) {
      double* p = x[t];
#pragma omp target enter data map(to : p[0 : n]) nowait depend(out : p[0])
#pragma omp target teams distribute parallel for nowait depend(inout : p[0]) num_teams(16) \
    thread_limit(128)
      for (int i = 0; i < n; i++) p[i] += 1;
#pragma omp target exit data map(from : p[0 : n]) nowait depend(in : p[0])
    }
#pragma omp taskwait
  }
  for (int t = 0; t < kTasks; t++) free(x[t]);
  return 0;
}
