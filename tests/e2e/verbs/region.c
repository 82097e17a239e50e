// One target region: what the verbs look at, built in many ways.
int main(void) {
  int x = 1;
#pragma omp target map(tofrom : x)
  x = 2;
  return x - 2;
}
