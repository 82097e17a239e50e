# Lies before the recorder's own code and data, and moves them.
.text
.skip CODE_BYTES + 1
.data
.skip DATA_BYTES + 8
.section .note.GNU-stack,"",@progbits
