// A mapper whose member has a mapper of its own, for each struct of an array. Its pieces are known
// by the names that the mappers have for them, however many there are. Each struct is copied as a
// whole (24 bytes) and once more as its member (16), with LLVM 22 twice on the way back. The array
// itself is left on the device.
//=19 total: HtoD 1200 252000, DtoH 1200 252000, alloc 601 247200, delete 600 240000, kernel 1, internal 600 4800
//=22 total: HtoD 1200 252000, DtoH 1500 256800, alloc 601 247200, delete 600 240000, kernel 1, internal 600 4800
//=19 target@work x1: HtoD 1200 252000, DtoH 1200 252000, alloc 601, kernel 1
//=22 target@work x1: HtoD 1200 252000, DtoH 1500 256800, alloc 601, kernel 1
//=19 pairs: HtoD 600 12000, DtoH 600 12000
//=22 pairs: HtoD 600 12000, DtoH 900 16800
//= v.data: HtoD 300 120000, DtoH 300 120000
//= p.weights: HtoD 300 120000, DtoH 300 120000
#include <stdlib.h>

struct Vector {
  int n;
  double* data;
};
#pragma omp declare mapper(struct Vector v) map(v, v.data[0 : v.n])

struct Pair {
  struct Vector left;
  float* weights;
};
#pragma omp declare mapper(struct Pair p) map(p, p.left, p.weights[0 : 100])

enum { kPairs = 300 };

int main(void) {
  struct Pair* pairs = calloc(kPairs, sizeof *pairs);
  for (int i = 0; i < kPairs; ++i) {
    pairs[i].left.n = 50;
    pairs[i].left.data = calloc(50, sizeof(double));
    pairs[i].weights = calloc(100, sizeof(float));
  }
#pragma omp target map(tofrom : pairs[0 : kPairs])  // @work
  for (int i = 0; i < kPairs; ++i) {
    pairs[i].left.data[49] += 1.0;
    pairs[i].weights[99] += 2.0F;
  }
  int wrong = 0;
  for (int i = 0; i < kPairs; ++i) {
    wrong = wrong || pairs[i].left.data[49] != 1.0 || pairs[i].weights[99] != 2.0F;
    free(pairs[i].left.data);
    free(pairs[i].weights);
  }
  free(pairs);
  return wrong;
}
