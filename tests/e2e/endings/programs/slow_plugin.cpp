// A library that calls the offload runtime, and whose loading stops in the middle until it is told
// to go on.

extern "C" {

void* omp_target_alloc(unsigned long bytes, int device);
void omp_target_free(void* memory, int device);

// A resolver runs before the library is relocated: it can call nothing.
static long system_call(long number, long file, void* data, long size) {
  long result;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(number), "D"(file), "S"(data), "d"(size)
               : "rcx", "r11", "memory");
  return result;
}

using Function = int();
static int quick_here() { return 7; }
__attribute__((visibility("hidden"))) Function* resolve() {
  char byte = 'r';
  system_call(1, 100, &byte, 1);  // write
  system_call(0, 101, &byte, 1);  // read
  return quick_here;
}
int slow() __attribute__((ifunc("resolve")));
Function* volatile slow_one = slow;

int plugin() {
  void* memory = omp_target_alloc(64, 0);
  omp_target_free(memory, 0);
  return memory != nullptr ? slow_one() : 0;
}

int plugin_value() { return 42; }
}
