#include "record/call_paths.h"

#include <dlfcn.h>
#include <string.h>
#include <sys/mman.h>

#include "record/definitions.h"
#include "record/loaded_objects.h"
#include "record/modules.h"
#include "record/recorder.h"
#include "record/unwind.h"

namespace ompdm::record {

namespace {

constexpr unsigned kFirstBits = 6;

std::uint64_t places_of(const PathTable& table) noexcept {
  return std::uint64_t{1} << (64U - table.shift);
}

// Multiplicative hashing (Knuth, The Art of Computer Programming, volume 3, section 6.4).
std::uint64_t place_of(const PathTable& table, const void* from, std::uint64_t value) noexcept {
  const std::uint64_t key = reinterpret_cast<std::uint64_t>(from) * 0xc4ceb9fe1a85ec53U + value;
  return key * 0x9e3779b97f4a7c15U >> table.shift;
}

// The edge, or where it would be put.
PathEdge& edge_at(const PathTable& table, const void* from, std::uint64_t value) noexcept {
  std::uint64_t place = place_of(table, from, value);
  while (table.places[place].from != nullptr &&
         (table.places[place].from != from || table.places[place].value != value)) {
    place = (place + 1) & (places_of(table) - 1);
  }
  return table.places[place];
}

bool move_edges(PathTable& table, unsigned bits) noexcept {
  const std::uint64_t count = table.places != nullptr ? places_of(table) : 0;
  PathEdge* const old = table.places;
  auto* const places = static_cast<PathEdge*>(map_memory(sizeof(PathEdge) << bits));
  if (places == nullptr) {
    return false;
  }
  table.places = places;
  table.shift = 64U - bits;
  for (std::uint64_t i = 0; i < count; ++i) {
    if (old[i].from != nullptr) {
      edge_at(table, old[i].from, old[i].value) = old[i];
    }
  }
  if (old != nullptr) {
    munmap(old, count * sizeof(*old));
  }
  return true;
}

// At most a quarter of the places is taken, so that most searches end at the first place.
bool make_room(PathTable& table) noexcept {
  if (table.edges == PathTable::kMostNodes) {
    return false;
  }
  if (table.places == nullptr && !move_edges(table, kFirstBits)) {
    return false;
  }
  return table.edges < places_of(table) / 4 || move_edges(table, 64U - table.shift + 1);
}

constexpr std::uint32_t kMostFrames = 32;
constexpr std::uint32_t kMostInner = 48;  // of the recorder and the runtime, below the program's

std::uint64_t in_libc = 0;  // an address of its own, 0: not known

struct Chain {
  std::uint64_t stack;  // of the site's call; 0: where its codeptr lies
  std::uint64_t codeptr;
  std::uint32_t count = 0;
  bool cut = false;
  bool ends = false;  // behind the frames is one for the end of the outermost frame
  spool::PathFrame frames[kMostFrames + 1];
};

// Unwinds from here to the site's call, and collects the calls above it. False if the call is not
// found.
[[gnu::noinline]] bool follow(const AddressRange& stack, Chain& chain) noexcept {
  StackWalk walk(stack);
  walk.begin();
  std::uint64_t place = 0;
  std::uint64_t address = 0;
  std::uint32_t inner = 0;
  do {
    if (!walk.next(place, address) || (chain.stack != 0 && place > chain.stack) ||
        ++inner > kMostInner) {
      return false;
    }
  } while (chain.stack != 0 ? place != chain.stack : address != chain.codeptr);
  chain.stack = place;
  while (walk.next(place, address) && place - chain.stack <= UINT32_MAX) {
    if (chain.count == kMostFrames) {
      chain.cut = true;
      break;
    }
    chain.frames[chain.count++] = {address, spool::ModuleId::kNone,
                                   static_cast<std::uint32_t>(place - chain.stack)};
  }
  return true;
}

// Drops the calls of libc that start the program or the thread, which are the same on every path.
// The place of the return address into libc is the end of the outermost frame.
void drop_starters(Chain& chain) noexcept {
  const spool::ModuleId libc = known_module(in_libc);
  if (libc == spool::ModuleId::kNone || chain.cut) {
    return;
  }
  const auto is_libc = [&](std::uint32_t i) {
    return known_module(chain.frames[i].address) == libc;
  };
  if (chain.count >= 2 && !is_libc(chain.count - 1) && is_libc(chain.count - 2)) {
    --chain.count;  // _start
  }
  while (chain.count > 0 && is_libc(chain.count - 1)) {
    chain.ends = true;
    chain.frames[--chain.count].address = 0;
  }
}

// Adds the chain to the tree of paths, with `id` at its end. Null if there is no room.
PathNode* grow_tree(ThreadBuffer& buffer, SiteSlot& site, const Chain& chain,
                    spool::PathId id) noexcept {
  const auto step = [&](const void* from, std::uint64_t value) {
    PathNode* known = follow_edge(buffer.paths, from, value);
    return known != nullptr ? known : add_edge(buffer.paths, from, value);
  };
  PathNode* node = step(&site, chain.stack);
  for (std::uint32_t i = 0; node != nullptr && i < chain.count; ++i) {
    node->offset = chain.frames[i].offset;
    node->next = step(node, chain.frames[i].address);
    node->address = chain.frames[i].address;
    node = node->next;
  }
  if (node != nullptr) {
    node->id = id;
  }
  return node;
}

bool write_path(ThreadBuffer& buffer, const SiteSlot& site, Chain& chain) noexcept {
  for (std::uint32_t i = 0; i < chain.count; ++i) {
    spool::PathFrame& frame = chain.frames[i];
    frame.module = known_module(frame.address);
    FoundObject found{};
    if (frame.module == spool::ModuleId::kNone && find_object(frame.address, found)) {
      frame.module = find_module(frame.address);  // opened since
    }
    if (frame.module != spool::ModuleId::kNone) {
      write_module(buffer, frame.module);  // before the record that refers to it
    }
  }
  const std::uint32_t count = chain.count + (chain.ends ? 1 : 0);
  const auto id = spool::give_next(buffer.last_path);
  return write_record(
      buffer, spool::Path{{}, site.id, id, count, chain.stack}, spool::Tag::kPath,
      chain.cut ? spool::kPathCut : 0,
      {{reinterpret_cast<const char*>(chain.frames), count * sizeof(spool::PathFrame)}});
}

}  // namespace

PathNode* follow_edge(const PathTable& table, const void* from, std::uint64_t value) noexcept {
  return table.places != nullptr ? edge_at(table, from, value).to : nullptr;
}

PathNode* add_edge(PathTable& table, const void* from, std::uint64_t value) noexcept {
  auto* node =
      make_room(table) ? static_cast<PathNode*>(table.nodes.get(sizeof(PathNode))) : nullptr;
  if (node == nullptr) {
    return nullptr;
  }
  edge_at(table, from, value) = {from, value, node};
  ++table.edges;
  return node;
}

void forget_paths(PathTable& table) noexcept {
  table.nodes.clear();
  table.edges = 0;
  if (table.places != nullptr) {
    memset(table.places, 0, places_of(table) * sizeof(*table.places));
  }
}

void prepare_paths() noexcept {
  prepare_own_stack();
  if (void* libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD)) {
    in_libc = reinterpret_cast<std::uint64_t>(dlsym(libc, "getpid"));
  }
}

bool find_stack(ThreadBuffer& buffer, std::uint64_t address) noexcept {
  constexpr std::uint8_t kMostTimes = 8;  // a thread may begin on a stack of the program's making
  if (buffer.stack.end == 0 && buffer.stack_asked < kMostTimes) {
    ++buffer.stack_asked;
    buffer.stack = own_stack();
  }
  return buffer.stack.holds(address);
}

std::uint64_t find_return(ThreadBuffer& buffer, const void* address) noexcept {
  find_stack(buffer, reinterpret_cast<std::uint64_t>(__builtin_frame_address(0)));
  const WithoutCancellation uncancelled;
  StackWalk walk(buffer.stack);
  walk.begin();
  std::uint64_t place = 0;
  std::uint64_t found = 0;
  for (std::uint32_t inner = 0; inner < kMostInner && walk.next(place, found); ++inner) {
    if (found == reinterpret_cast<std::uint64_t>(address)) {
      return place;
    }
  }
  return 0;
}

PathNode* find_path_root(ThreadBuffer& buffer, SiteSlot& site, std::uint64_t stack) noexcept {
  PathNode* root = follow_edge(buffer.paths, &site, stack);
  if (root != nullptr) {
    site.path_stack = stack;
    site.path_root = root;
  }
  return root;
}

PathNode* find_next_node(ThreadBuffer& buffer, PathNode& node, std::uint64_t address) noexcept {
  PathNode* next = follow_edge(buffer.paths, &node, address);
  if (next != nullptr) {
    node.address = address;
    node.next = next;
  }
  return next;
}

CallPath define_path(ThreadBuffer& buffer, SiteSlot& site, const Call& call) noexcept {
  if (buffer.paths.edges == PathTable::kMostNodes ||
      number(buffer.last_path) == PathTable::kMostNodes) {
    count_loss(spool::Loss::kPathsUntold);
    return {spool::PathId::kNone, &site.contexts};
  }
  const WithoutCancellation uncancelled;
  Chain chain;
  chain.stack = call.stack;
  chain.codeptr = reinterpret_cast<std::uint64_t>(call.codeptr);
  // Where the site's call is not on this stack, the path is recorded as unknown, for the next time
  // too.
  find_stack(buffer, call.stack);
  const bool found = follow(buffer.stack, chain);
  drop_starters(chain);
  const spool::PathId id =
      found && write_path(buffer, site, chain) ? buffer.last_path : spool::PathId::kNone;
  PathNode* node = call.stack != 0 ? grow_tree(buffer, site, chain, id) : nullptr;
  if (call.stack != 0 && node == nullptr) {
    count_loss(spool::Loss::kPathsUntold);
  }
  return {id, node != nullptr ? &node->contexts : &site.contexts};
}

}  // namespace ompdm::record
