// A program with functions of its own by the names of those that walk stacks and the loader's list.
#include <stdio.h>
#include <stdlib.h>

static float data[64];

int dl_iterate_phdr(void* visit, void* data_of_visit) {
  (void)visit, (void)data_of_visit;
  abort();
}

void* _Unwind_Find_FDE(void* pc, void* bases) {
  (void)pc, (void)bases;
  abort();
}

int main(void) {
  int count = 0;
#pragma omp target enter data map(to : data)
  for (int i = 0; i < 3; ++i) {
    ++count;
#pragma omp target update to(data[0 : 4])
  }
#pragma omp target exit data map(from : data)
  printf("%d\n", count);
}
