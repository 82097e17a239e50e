/* N6 (shape of llvm PR#124723; own code).
 * Asked:  does the runtime skip a list item that the body does not use?
 * Answer: no; a clause copies whether used or not: drop the item. */
#include <stdio.h>
#include <stdlib.h>
enum { N = 300000 };
int main(void) {
  double *a = malloc(N * sizeof *a), *b = malloc(N * sizeof *b);
  for (int i = 0; i < N; ++i) a[i] = i, b[i] = -i;
  for (int k = 0; k < 5; ++k) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : N], b[0 : N])
    for (int i = 0; i < N; ++i) b[i] += 1;
    b[k] = 0;       /* the host uses b in between */
    a[k] = k * 100; /* and changes a, which no kernel reads */
  }
  printf("a[3] %g b[3] %g\n", a[3], b[3]);
  return 0;
}
