// One instantiation of a template runs once, the other in a loop: statements on the loop are on
// that one.
//= total: HtoD 21 248000, DtoH 21 248000, alloc 21 248000, delete 21 248000, kernel 21
//= target@scale x21: HtoD 21 248000, DtoH 21 248000, alloc 21, kernel 21
//= a: HtoD 21 248000, DtoH 21 248000
#include <vector>

template <class T>
__attribute__((noinline)) void scale(T* a, int n) {
#pragma omp target map(tofrom : a[0 : n])  // @scale
  for (int i = 0; i < n; ++i) a[i] += T(1);
}

int main() {
  std::vector<double> once(1000);
  std::vector<float> often(3000);
  scale(once.data(), 1000);
  for (int pass = 0; pass < 20; ++pass) scale(often.data(), 3000);
  return once[999] == 1.0 && often[2999] == 20.0F ? 0 : 1;
}
