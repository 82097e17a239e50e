// Instantiations of a template share their lines, and so a row.
//= total: HtoD 4 15000, DtoH 4 15000, alloc 4 15000, delete 4 15000, kernel 4
//= target@add x4: HtoD 4 15000, DtoH 4 15000, alloc 4, kernel 4
//= a: HtoD 4 15000, DtoH 4 15000
#include <cstdlib>

template <class T>
bool add_one(int n) {
  T* a = static_cast<T*>(std::calloc(n, sizeof(T)));
  for (int pass = 0; pass < 2; ++pass) {
#pragma omp target map(tofrom : a[0 : n])  // @add
    for (int i = 0; i < n; ++i) a[i] += T(1);
  }
  const bool right = a[n - 1] == T(2);
  std::free(a);
  return right;
}

int main() { return add_one<double>(500) && add_one<float>(875) ? 0 : 1; }
