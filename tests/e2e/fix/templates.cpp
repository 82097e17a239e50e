// A time loop in a template that two types make: tabs, pointers swapped by hand, a long directive.
#include <cstdio>
#include <vector>

// clang-format off
template <class T>
T* solve(T* now, T* next, int n, int steps) {
	for (int t = 0; t < steps; ++t) {
		#pragma omp target teams distribute \
			parallel for                      \
			map(to: now[0:n]) map(from: next[0:n])
		for (int i = 0; i < n; ++i) next[i] = now[i] + 1;
		T* old = now;
		now = next;
		next = old;
	}
	return now;
}
// clang-format on

template <class T>
void run(int n) {
  std::vector<T> one(n, 1), other(n);
  const T* result = solve(one.data(), other.data(), n, 21);
  std::printf("%g\n", static_cast<double>(result[n / 2]));
}

int main() {
  run<float>(100000);
  run<double>(100000);
}
