// Reads numbers from standard input and from a file, which it replaces. Ends with the status that
// the first number is.
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  int status = 0;
  int old = 0;
  int both = 0;
  FILE* file = fopen("state", "r");
  if (file == NULL || fscanf(file, "%d", &old) != 1 || scanf("%d", &status) != 1) abort();
  fclose(file);
#pragma omp target map(tofrom : both)
  both = old + status;
  file = fopen("state", "w");
  fprintf(file, "%d\n", both);
  fclose(file);
  printf("%d\n", both);
  return status;
}
