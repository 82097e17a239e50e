// A program with an OMPT tool of its own, whose place no other can take.
struct tool {
  int (*initialize)(void* lookup, int device, void* data);
  void (*finalize)(void* data);
  unsigned long long data;
};

static int initialize(void* lookup, int device, void* data) {
  (void)lookup;
  (void)device;
  (void)data;
  return 1;
}
static void finalize(void* data) { (void)data; }

struct tool* ompt_start_tool(unsigned omp_version, const char* runtime_version);
struct tool* ompt_start_tool(unsigned omp_version, const char* runtime_version) {
  static struct tool tool = {initialize, finalize, 0};
  (void)omp_version;
  (void)runtime_version;
  return &tool;
}

int main(void) {
  int x = 1;
#pragma omp target map(tofrom : x)
  x = 2;
  return x - 2;
}
