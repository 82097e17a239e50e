# Functions whose loops are known, as compilers write them; their calls are of `called`.
.text
.globl called
.type called, @function
called:
  .cfi_startproc
  ret
  .cfi_endproc

# for (...) { called(); if (x) called(); called(); }
.globl code_branch
.type code_branch, @function
code_branch:
  .cfi_startproc
1:
  call called
  test %edi, %edi
  je 2f
  call called
2:
  call called
  dec %esi
  jne 1b
  ret
  .cfi_endproc
.size code_branch, . - code_branch

# for (...) { switch (x) { case 0: called(); break; case 1: called(); break; default: ; } }
.globl code_switch
.type code_switch, @function
code_switch:
  .cfi_startproc
1:
  cmp $1, %edi
  ja 4f
  lea code_table(%rip), %rdx
  movslq (%rdx,%rdi,4), %rax
  add %rdx, %rax
  jmp *%rax
2:
  call called
  jmp 4f
3:
  call called
4:
  dec %esi
  jne 1b
  ret
  .cfi_endproc
.size code_switch, . - code_switch
.section .rodata
.p2align 2
code_table:
  .long 2b - code_table
  .long 3b - code_table
.text

# Ends with a call of whatever a register holds, as a virtual function's last statement does.
.globl code_tail_call
.type code_tail_call, @function
code_tail_call:
  .cfi_startproc
1:
  call called
  dec %esi
  jne 1b
  jmp *%rax
  .cfi_endproc
.size code_tail_call, . - code_tail_call

# Jumps through a table that nothing tells the size of.
.globl code_unknown_jump
.type code_unknown_jump, @function
code_unknown_jump:
  .cfi_startproc
  call called
  lea code_table(%rip), %rdx
  movslq (%rdx,%rdi,4), %rax
  add %rdx, %rax
  jmp *%rax
  .cfi_endproc
.size code_unknown_jump, . - code_unknown_jump
# for (...) { launch, or else called(); code_updates(); }
.globl code_launch
.type code_launch, @function
code_launch:
  .cfi_startproc
1:
  lea code_ident(%rip), %rdi
  call __tgt_target_kernel@PLT
  test %eax, %eax
  je 2f
  call called
2:
  call code_updates
  dec %esi
  jne 1b
  ret
  .cfi_endproc
.size code_launch, . - code_launch

# The same with an if() clause, where the compiler made one call of the host version.
.globl code_launch_if
.type code_launch_if, @function
code_launch_if:
  .cfi_startproc
1:
  test %edx, %edx
  je 2f
  mov %rbx, %rdi
  call __tgt_target_kernel@PLT
  test %eax, %eax
  je 3f
2:
  call called
3:
  dec %esi
  jne 1b
  ret
  .cfi_endproc
.size code_launch_if, . - code_launch_if

# And where it left two.
.globl code_launch_or_call
.type code_launch_or_call, @function
code_launch_or_call:
  .cfi_startproc
1:
  test %edx, %edx
  je 2f
  call __tgt_target_kernel@PLT
  cmp $0, %eax
  je 4f
  call called
4:
  jmp 3f
2:
  call called
3:
  dec %esi
  jne 1b
  ret
  .cfi_endproc
.size code_launch_or_call, . - code_launch_or_call

# Updates if x; by the pointer that the linker sets, and with an ident_t that a register has held
# for long. Behind the return lies what only exceptions lead to.
.globl code_updates
.type code_updates, @function
code_updates:
  .cfi_startproc
  lea code_ident(%rip), %r12
  test %edx, %edx
  je 1f
  mov %r12, %rdi
  call *__tgt_target_data_update_mapper@GOTPCREL(%rip)
1:
  ret
  call __tgt_target_kernel@PLT
  ret
  .cfi_endproc
.size code_updates, . - code_updates

.section .rodata
code_source:
  .asciz ";heat.c;f;7;1;;"
.section .data.rel.ro,"aw"
.p2align 3
code_ident:
  .long 0, 2, 0, 0
  .quad code_source
.section .note.GNU-stack,"",@progbits
