# Functions whose loops are known, as compilers write them; their calls are of `called`.
.text
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
.section .note.GNU-stack,"",@progbits
