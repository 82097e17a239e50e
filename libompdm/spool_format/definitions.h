// Rows of definitions and events in the spool.
#pragma once

#include <cstdint>

#include "spool_format/format.h"

namespace ompdm::spool {

/// A loaded object. Followed by build-id bytes, then the path (NUL-terminated).
struct Module {
  Head head;
  ModuleId id;
  std::uint64_t bias;   ///< load bias (link_map l_addr): file address = pc - bias
  std::uint64_t begin;  ///< mapped range
  std::uint64_t end;
  std::uint32_t build_id_size;
  std::uint32_t path_size;  ///< NUL included
};
static_assert(sizeof(Module) == 40);

/// The runtime entry point that a site calls; kNone if only codeptr_ra is known.
enum class Entry : std::uint8_t {
  kNone,
  kDataBegin,   ///< __tgt_target_data_begin_mapper
  kDataEnd,     ///< __tgt_target_data_end_mapper
  kDataUpdate,  ///< __tgt_target_data_update_mapper
  kDataBeginNowait,
  kDataEndNowait,
  kDataUpdateNowait,
  kKernel,  ///< __tgt_target_kernel
  kKernelNowait,
  kMemcpy,           ///< omp_target_memcpy
  kMemcpyRect,       ///< omp_target_memcpy_rect
  kMemset,           ///< omp_target_memset
  kAlloc,            ///< omp_target_alloc
  kFree,             ///< omp_target_free
  kAssociate,        ///< omp_target_associate_ptr
  kDisassociate,     ///< omp_target_disassociate_ptr
  kMemcpyAsync,      ///< omp_target_memcpy_async
  kMemcpyRectAsync,  ///< omp_target_memcpy_rect_async
  kMemsetAsync,      ///< omp_target_memset_async
  kMapperPiece,      ///< __tgt_push_mapper_component: no site, a MapperPiece
  kMappedPointer,    ///< omp_get_mapped_ptr: no site, a MappedPointer
  kDeferral,         ///< no entry point: the creation of a task for a directive
  kCount
};

/// A place in the program that called the runtime. Followed by `text_size` bytes: psource (ident_t,
/// ";file;func; line;col;;"), NUL, then `name_count` argument names as clang gives them
/// (";u[0:n];heat.cpp;13;32;;"), NUL each.
struct Site {
  Head head;  ///< flags: Entry
  SiteId id;
  std::uint64_t codeptr;  ///< codeptr_ra: a return address, so look up codeptr - 1
  std::uint64_t ident;    ///< address of the ident_t, 0 without names
  std::uint64_t kernel;   ///< host_ptr of the launched kernel (its Entry's address), 0 if none
  ModuleId module;
  std::uint32_t name_count;
  std::uint32_t text_size;
  std::uint32_t reserved;
};
static_assert(sizeof(Site) == 48);

/// A frame of a call path.
struct PathFrame {
  std::uint64_t address;  ///< return address, so look up address - 1
  ModuleId module;        ///< none: unknown
  std::uint32_t offset;   ///< its place on the stack, from Path::stack up
};
static_assert(sizeof(PathFrame) == 16);

/// Bits of Head::flags of a Path.
inline constexpr std::uint8_t kPathCut = 0x01;  ///< there are more frames above
/// A call path to a site. Followed by `count` PathFrame, innermost first: the first is the caller
/// of the function that holds the site's codeptr. The functions of libc that start the program or
/// the thread are left out. A last frame with address 0 holds the place of the return address into
/// them.
struct Path {
  Head head;
  SiteId site;
  PathId id;
  std::uint32_t count;
  std::uint64_t stack;  ///< place of the return address of the site's call
};
static_assert(sizeof(Path) == 24);

/// One mapped item, an argument of `__tgt_*`; `type` are libomptarget's map type bits
/// (OMP_TGT_MAPTYPE_*). Values of literal arguments (type bit 0x100) are zeroed, since they are no
/// addresses. A non-contiguous section (type bit 0x100000000000) has the place of its first element
/// in `begin`. In `size` it has the bytes of all its elements, 0 if not known. The descriptor has
/// neither.
struct MapItem {
  std::uint64_t base;
  std::uint64_t begin;
  std::uint64_t size;
  std::uint64_t type;
};
static_assert(sizeof(MapItem) == 32);

/// The name of a piece of a `declare mapper`, as clang gives it. Followed by the text.
struct MapperName {
  Head head;
  MapperNameId id;
  std::uint32_t size;  ///< NUL included
  std::uint32_t reserved;
};
static_assert(sizeof(MapperName) == 16);

/// Flags of an offload entry (clang's OMP_REGISTER_REQUIRES) that is no kernel or variable: its
/// `size` holds the clauses of the module's `requires` directive.
inline constexpr std::uint32_t kEntryRequires = 0x10;
inline constexpr std::uint64_t kUnifiedSharedMemory = 0x8;

/// An entry of a module's offload table: a kernel (size 0), a `declare target` variable, or the
/// `requires` clauses. Followed by its name.
struct OffloadEntry {
  Head head;
  ModuleId module;
  std::uint64_t address;
  std::uint64_t size;
  std::uint32_t flags;
  std::uint32_t name_size;  ///< NUL included
};
static_assert(sizeof(OffloadEntry) == 32);

/// From here on thread `tid` writes this thread buffer.
struct BufferThread {
  Head head;
  std::uint32_t tid;  ///< kernel thread id
  std::uint64_t ticks;
};
static_assert(sizeof(BufferThread) == 16);

/// A piece of storage that a `declare mapper` adds to the innermost open region.
struct MapperPiece {
  Head head;
  MapperNameId name;
  std::uint64_t begin;
  std::uint64_t size;
  std::uint64_t type;  ///< OMP_TGT_MAPTYPE_*
};
static_assert(sizeof(MapperPiece) == 32);

/// The program asked for the device address of some storage (omp_get_mapped_ptr), and may write to
/// it by that address from now on. Repeated calls are mostly left out.
struct MappedPointer {
  Head head;
  std::int32_t device;  ///< the program's number
  std::uint64_t host;
};
static_assert(sizeof(MappedPointer) == 16);

/// The creation of a task that will run a directive with `nowait`.
struct Deferral {
  Head head;
  DeferralId id;
  std::uint64_t ticks;
  PathId path;  ///< to its creation
  std::uint32_t reserved;
};
static_assert(sizeof(Deferral) == 24);

/// The task that the region begun last runs in.
struct DeferredRegion {
  Head head;
  BufferId buffer;  ///< of the Deferral
  DeferralId deferral;
  std::uint32_t reserved;
};
static_assert(sizeof(DeferredRegion) == 16);

/// Bits of FileHeader::check.
inline constexpr std::uint32_t kChecked = 0x100;
inline constexpr std::uint32_t kFencedBehind = 0x200;  ///< blocks end at a fence, else begin at one

/// Bits of Head::flags of a BlockTouch.
inline constexpr std::uint8_t kTouchRead = 0x01;
inline constexpr std::uint8_t kTouchWritten = 0x02;
inline constexpr std::uint8_t kTouchReadFirst = 0x04;  ///< its first access was no write
inline constexpr std::uint8_t kTouchUnknown =
    0x08;  ///< it was not watched, or other kernels ran meanwhile
/// The kernel of the buffer's latest launch touched a block of device memory (OMPDM_CHECK).
struct BlockTouch {
  Head head;
  std::uint32_t reserved;
  std::uint64_t block;         ///< its device address
  std::uint64_t host_content;  ///< fingerprint of the host's data that it is a copy of, as the
                               ///< kernel ended; 0: not taken
};
static_assert(sizeof(BlockTouch) == 24);

/// What is wrong with an access of device memory.
enum class BadAccessOf : std::uint8_t {
  kBefore,    ///< before the block
  kBehind,    ///< past its end
  kFreed,     ///< the block was freed
  kHost,      ///< by the host, outside of kernels and of the runtime
  kHostFree,  ///< no access: the host freed the memory that the block is a copy of
  kCount
};
/// An access of device memory that a fence caught (OMPDM_CHECK): the first of its kind of a block.
/// Head::flags: the BadAccessOf above bit 0, which is set for a write.
struct BadAccess {
  Head head;
  std::uint32_t reserved;
  std::uint64_t ticks;
  std::uint64_t block;  ///< its device address
  std::uint64_t bytes;  ///< of the block
  std::int64_t offset;  ///< of the accessed byte, from the block's first
};
static_assert(sizeof(BadAccess) == 40);

/// An event of a device.
enum class DeviceEvent : std::uint8_t { kInitialize, kFinalize, kLoad };
/// Device initialise, finalise or image load (Head::flags: DeviceEvent). Followed by the type text
/// for initialise.
struct Device {
  Head head;
  std::int32_t number;
  std::uint64_t ticks;
  std::uint64_t bytes;  ///< image size for load
  std::uint32_t text_size;
  std::uint32_t reserved;
};
static_assert(sizeof(Device) == 32);

/// A kernel call without a target region: it ran on the host. Head::flags: 1 + the number of the
/// requested device, 0 if unknown. Followed by its number (u64) if it is the sample of an
/// aggregate.
struct Fallback {
  Head head;
  SiteId site;
  std::uint64_t ticks;
};
static_assert(sizeof(Fallback) == 16);

}  // namespace ompdm::spool
