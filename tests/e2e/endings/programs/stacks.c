// Stacks that are not as compilers make them: whoever walks them must not believe what they hold.
// x86-64.
#define _GNU_SOURCE
#include <link.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

static float data[64];
static volatile int count;

__attribute__((noinline, used)) void update(void) {
  ++count;
#pragma omp target update to(data[0 : 4])
}

// Switches from one stack to another, six registers on each.
void switch_to(void** from, void* to);
__asm__(
    ".text\n.globl switch_to\n.type switch_to,@function\nswitch_to: .cfi_startproc\n"
    " push %rbp\n push %rbx\n push %r12\n push %r13\n push %r14\n push %r15\n"
    " .cfi_def_cfa_offset 56\n mov %rsp,(%rdi)\n mov %rsi,%rsp\n"
    " pop %r15\n pop %r14\n pop %r13\n pop %r12\n pop %rbx\n pop %rbp\n"
    " .cfi_def_cfa_offset 8\n ret\n .cfi_endproc\n.size switch_to,.-switch_to\n");

static char memory[65536] __attribute__((aligned(4096)));
void* outside;
void* inside;

static void fiber(void) {
  for (;;) {
    update();
    switch_to(&inside, outside);
  }
}

// What its first function would return to is no code.
static void fiber_from_nowhere(void) {
  uintptr_t* top = (uintptr_t*)(memory + sizeof memory);
  *--top = 0;
  *--top = 0;
  *--top = 0xdeadbeef;
  *--top = (uintptr_t)fiber;
  inside = top - 6;
  for (int i = 0; i < 3; ++i) switch_to(&outside, inside);
}

// As above, and the stack is eight bytes from where the ABI wants it.
static void fiber_out_of_line(void) {
  uintptr_t* top = (uintptr_t*)(memory + sizeof memory);
  *--top = 0;
  *--top = 0;
  *--top = (uintptr_t)fiber;
  inside = top - 6;
  for (int i = 0; i < 3; ++i) switch_to(&outside, inside);
}

// Runs work() on the memory above, told rightly: who called it is found on the stack before.
int enter_fiber(void);
__asm__(
    ".text\n.globl enter_fiber\n.type enter_fiber,@function\nenter_fiber: .cfi_startproc\n"
    " push %rbp\n push %rbx\n push %r12\n push %r13\n push %r14\n push %r15\n"
    " .cfi_def_cfa_offset 56\n mov %rsp,outside(%rip)\n sub $8,%rsp\n .cfi_def_cfa_offset 64\n"
    " lea memory+65536(%rip),%rdi\n lea fiber(%rip),%rsi\n call on_stack\n ud2\n"
    ".cfi_endproc\n.size enter_fiber,.-enter_fiber\n"
    ".globl on_stack\n.type on_stack,@function\non_stack: .cfi_startproc\n"
    " push %rbp\n .cfi_def_cfa_offset 16\n .cfi_offset %rbp,-16\n mov %rsp,%rbp\n"
    " .cfi_def_cfa_register %rbp\n mov %rdi,%rsp\n call *%rsi\n ud2\n"
    " .cfi_endproc\n.size on_stack,.-on_stack\n");

static void* begin_fiber(void* none) {
  enter_fiber();
  return none;
}

// The stack that the fiber was begun from goes with its thread.
static void stack_that_is_gone(void) {
  const size_t size = 1 << 20;
  char* stack = mmap(0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstack(&attributes, stack, size);
  pthread_t thread;
  pthread_create(&thread, &attributes, begin_fiber, 0);
  pthread_join(thread, 0);
  munmap(stack, size);
  for (int i = 0; i < 3; ++i) switch_to(&outside, inside);
}

// Its table does not tell of what it pushes.
void keep_a_register(void);
__asm__(
    ".text\n.globl keep_a_register\n.type keep_a_register,@function\n"
    "keep_a_register: .cfi_startproc\n push %rbx\n mov $5,%ebx\n call update\n pop %rbx\n ret\n"
    " .cfi_endproc\n.size keep_a_register,.-keep_a_register\n");

static void wrong_table(void) {
  for (int i = 0; i < 3; ++i) keep_a_register();
}

// Borrows the frame's base for a value, and its table tells of the depth alone.
void borrow_base(void);
__asm__(
    ".text\n.globl borrow_base\n.type borrow_base,@function\nborrow_base: .cfi_startproc\n"
    " push %rbp\n .cfi_def_cfa_offset 16\n mov $8,%ebp\n call update\n pop %rbp\n"
    " .cfi_def_cfa_offset 8\n ret\n .cfi_endproc\n.size borrow_base,.-borrow_base\n");

__attribute__((noinline)) static void with_an_array_of(int size) {
  volatile char array[size];
  array[0] = 1;
  borrow_base();
  array[size - 1] = array[0];
}

static void borrowed_base(void) {
  for (int i = 1; i < 4; ++i) with_an_array_of(100 * i);
}

static void* offload(void* none) {
  for (int i = 0; i < 3; ++i) update();
  return none;
}

static int wait_for_a_thread(struct dl_phdr_info* info, size_t size, void* none) {
  (void)info, (void)size, (void)none;
  pthread_t thread;
  pthread_create(&thread, 0, offload, 0);
  pthread_join(thread, 0);
  return 1;
}

// The loader's lock is held until the thread is done.
static void locked_loader(void) { dl_iterate_phdr(wait_for_a_thread, 0); }

struct Way {
  const char* name;
  void (*run)(void);
};

int main(int argc, char** argv) {
  const struct Way ways[] = {
      {"fiber_from_nowhere", fiber_from_nowhere}, {"fiber_out_of_line", fiber_out_of_line},
      {"stack_that_is_gone", stack_that_is_gone}, {"wrong_table", wrong_table},
      {"borrowed_base", borrowed_base},           {"locked_loader", locked_loader},
  };
#pragma omp target enter data map(to : data)
  for (unsigned i = 0; i < sizeof ways / sizeof ways[0]; ++i) {
    if (argc == 2 && strcmp(argv[1], ways[i].name) == 0) ways[i].run();
  }
#pragma omp target exit data map(from : data)
  printf("%d\n", count);
}
