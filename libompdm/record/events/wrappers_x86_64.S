# Wrappers of the offload runtime's entry points (System V psABI, x86-64): save the integer argument registers, tell
# ompdm_enter(position, saved), restore, jump to the real entry. No entry takes vector arguments.
#if defined(__x86_64__)
	.text
	.hidden	ompdm_enter
	.hidden	ompdm_real

.macro wrapper name, position
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
	movl	$\position, %edi
	movq	%rsp, %rsi
	subq	$8, %rsp
	.cfi_adjust_cfa_offset 8
	call	ompdm_enter
	addq	$8, %rsp
	.cfi_adjust_cfa_offset -8
	popq	%r9
	popq	%r8
	popq	%rcx
	popq	%rdx
	popq	%rsi
	popq	%rdi
	.cfi_adjust_cfa_offset -48
	jmp	*(ompdm_real + 8 * \position)(%rip)
	.cfi_endproc
	.size	ompdm_wrap_\name, . - ompdm_wrap_\name
.endm

	wrapper data_begin, 0
	wrapper data_end, 1
	wrapper data_update, 2
	wrapper data_begin_nowait, 3
	wrapper data_end_nowait, 4
	wrapper data_update_nowait, 5
	wrapper kernel, 6
	wrapper kernel_nowait, 7
	wrapper memcpy, 8
	wrapper memcpy_rect, 9
	wrapper memset, 10
	wrapper alloc, 11
	wrapper free, 12
	wrapper associate, 13
	wrapper disassociate, 14
	wrapper mapper_piece, 15
	wrapper memcpy_async, 16
	wrapper memcpy_rect_async, 17
	wrapper memset_async, 18
	wrapper target, 19
	wrapper target_teams, 20
	wrapper target_nowait, 21
	wrapper target_teams_nowait, 22
#endif
	.section .note.GNU-stack,"",@progbits
