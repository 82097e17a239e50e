/* W4 (shape of OpenMP_VV#795, llvm#49160; own code).
 * Asked:  two nowait updates come in the other order / the host reads before they are done: why?
 * Answer: nothing orders them: taskwait, or depend. */
#include <stdio.h>
#include <stdlib.h>
enum { N = 400000 };
int main(void) {
  double* a = malloc(N * sizeof *a);
  for (int i = 0; i < N; ++i) a[i] = 1;
  int stale = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp target enter data map(to : a[0 : N])
    for (int s = 0; s < 10; ++s) {
#pragma omp target teams distribute parallel for
      for (int i = 0; i < N; ++i) a[i] += 1;
#pragma omp target update from(a[0 : N]) nowait
      stale += a[N - 1] != 2 + s; /* read with nothing waited for */
#pragma omp target update to(a[0 : 100]) nowait
    }
#pragma omp taskwait
#pragma omp target exit data map(delete : a[0 : N])
  }
  printf("stale reads %d of 10\n", stale);
  return 0;
}
