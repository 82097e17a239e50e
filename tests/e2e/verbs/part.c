// The offload code of a program that has none of its own.
int part(void) {
  int x = 1;
#pragma omp target map(tofrom : x)
  x = 2;
  return x - 2;
}
