// One directive that is reached by three calls: two of a solver, and one that is inlined in main.
// Beside it is a `target data`, whose own call has no line where it stands behind inlined code.
//= total: HtoD 10 3752, DtoH 10 3752, alloc 10 3752, delete 10 3752, kernel 9
//= target@step x9: HtoD 9 3672, DtoH 9 3672, alloc 9, kernel 9
//= target data@around x1: HtoD 1 80, DtoH 1 80, alloc 1
//= data: HtoD 9 3672, DtoH 9 3672
//= p: HtoD 1 80, DtoH 1 80
#include <vector>

namespace {

double data[100];

inline void step(int n) {
#pragma omp target map(tofrom : data[0 : n])  // @step
  data[0] += 1;
}

[[gnu::noinline]] void solve(int n, int passes) {
  for (int pass = 0; pass < passes; ++pass) step(n);
}

}  // namespace

int main(int argc, char**) {
  solve(40, 4 * argc);
  solve(100, 2 * argc);
  std::vector<double> filled(10);
  double* p = filled.data();
#pragma omp target data map(tofrom : p[0 : 10])  // @around
  for (int i = 0; i < 3; ++i) step(33);
  return data[0] == 9.0 ? 0 : 1;
}
