/* Moves data and has no kernel. */
int main(void) {
  static double x[100];
#pragma omp target data map(tofrom : x)
  {
    x[0] = 1;
  }
  return 0;
}
