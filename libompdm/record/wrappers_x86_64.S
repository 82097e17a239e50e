# Wrappers of the offload runtime's entry points (System V psABI, x86-64): save the integer argument registers, tell
# ompdm_enter(position, saved) on an aligned stack (hand-written callers need not have one), restore, jump to the real
# entry. No entry takes vector arguments.
#if defined(__x86_64__)
	.text
	.hidden	ompdm_enter
	.hidden	ompdm_real

.macro wrapper name
	.globl	ompdm_wrap_\name
	.hidden	ompdm_wrap_\name
	.type	ompdm_wrap_\name, @function
	.p2align 4
ompdm_wrap_\name:
	.cfi_startproc
	endbr64
	pushq	%rdi
	pushq	%rsi
	pushq	%rdx
	pushq	%rcx
	pushq	%r8
	pushq	%r9
	.cfi_adjust_cfa_offset 48
	movl	$.Lposition, %edi
	movq	%rsp, %rsi
	pushq	%rbp
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %rbp, 0
	movq	%rsp, %rbp
	.cfi_def_cfa_register %rbp
	andq	$-16, %rsp
	call	ompdm_enter
	movq	%rbp, %rsp
	.cfi_def_cfa_register %rsp
	popq	%rbp
	.cfi_adjust_cfa_offset -8
	.cfi_restore %rbp
	popq	%r9
	popq	%r8
	popq	%rcx
	popq	%rdx
	popq	%rsi
	popq	%rdi
	.cfi_adjust_cfa_offset -48
	jmp	*(ompdm_real + 8 * .Lposition)(%rip)
	.cfi_endproc
	.size	ompdm_wrap_\name, . - ompdm_wrap_\name
	.set	.Lposition, .Lposition + 1
.endm

	.set	.Lposition, 0
#define OMPDM_WRAPPER(name, symbol, entry, arguments) wrapper name
#include "record/wrappers.def"
#undef OMPDM_WRAPPER
#endif
	.section .note.GNU-stack,"",@progbits
