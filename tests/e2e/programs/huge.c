// Sizes beyond 32 bits: argv[1] GiB are made present, and all but a byte of them sent.
#include <stdlib.h>
#include <string.h>

int main(int argc, char** argv) {
  const size_t size = (size_t)(argc > 1 ? atoi(argv[1]) : 1) << 30;
  char* a = malloc(size);
  if (a == NULL) return 2;
#pragma omp target data map(to : a[0 : size])  // @send
  {
#pragma omp target  // @work
    a[size - 1] = 1;
#pragma omp target update from(a[size - 1 : 1])  // @fetch
  }
  const int wrong = a[size - 1] != 1;
  free(a);
  return wrong;
}
