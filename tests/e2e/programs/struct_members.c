// Pointers inside a struct: the runtime attaches them on the device, 8 bytes each, on its own
// account. With LLVM 22 the pointers themselves, which no clause names, are copied there and back.
//=19 total: HtoD 3 16024, DtoH 3 16024, alloc 5 24040, delete 5 24040, kernel 2, internal 3 24
//=22 total: HtoD 5 16040, DtoH 5 16040, alloc 5 24040, delete 5 24040, kernel 2, internal 3 24
//= target@both x1: HtoD 2 8024, DtoH 2 8024, alloc 2, kernel 1
//=19 target@members x1: HtoD 1 8000, DtoH 1 8000, alloc 3, kernel 1
//=22 target@members x1: HtoD 3 8016, DtoH 3 8016, alloc 3, kernel 1
//=19 f: HtoD 1 24, DtoH 1 24
//=22 f: HtoD 3 40, DtoH 3 40
//= f.values: HtoD 2 16000, DtoH 1 8000
//= f.next: DtoH 1 8000
#include <stdlib.h>

struct Field {
  double* values;
  double* next;
  long n;
};

int main(void) {
  struct Field f = {0, 0, 1000};
  f.values = calloc(f.n, sizeof(double));
  f.next = calloc(f.n, sizeof(double));
  // The struct and what it points to.
#pragma omp target map(tofrom : f, f.values[0 : f.n])  // @both
  for (long i = 0; i < f.n; ++i) f.values[i] += 1.0;
  // Members alone: of the struct, no more than the pointers is made present; 19 sends none of it.
#pragma omp target map(to : f.values[0 : f.n]) map(from : f.next[0 : f.n])  // @members
  for (long i = 0; i < 1000; ++i) f.next[i] = f.values[i];
  const int wrong = f.next[999] != 1.0;
  free(f.values);
  free(f.next);
  return wrong;
}
