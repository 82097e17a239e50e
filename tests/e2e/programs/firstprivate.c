// Private copies: scalars travel with the launch, small arrays in one packet, large ones alone.
//= total: HtoD 2 1696, DtoH 3 24, alloc 5 1720, delete 5 1720, kernel 3
//= target@scalar x1: DtoH 1 8, alloc 1, kernel 1
//= target@packed x1: HtoD 1 96, DtoH 1 8, alloc 2, kernel 1
//= target@alone x1: HtoD 1 1600, DtoH 1 8, alloc 2, kernel 1
//= firstprivate: HtoD 1 96
//= large: HtoD 1 1600
//= result: DtoH 3 24
int main(void) {
  int n = 3;
  double small[4] = {1, 2, 3, 4}, other[8] = {0};
  double large[200] = {0};
  double result = 0.0;
#pragma omp target firstprivate(n) map(from : result)  // @scalar
  result = n;
#pragma omp target firstprivate(small, other) map(from : result)  // @packed
  result = small[3] + other[7];
#pragma omp target firstprivate(large) map(from : result)  // @alone
  result = large[199];
  return result != 0.0;
}
