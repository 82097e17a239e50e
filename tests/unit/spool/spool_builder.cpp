#include "spool/spool_builder.h"

#include <algorithm>

#include "support/temporary_folder.h"

namespace ompdm::test {
namespace {

constexpr std::int32_t kHost = 4;

Operation operation(std::uint16_t optype, std::uint64_t at, std::uint64_t bytes) {
  Operation op{};
  op.optype = optype;
  op.begin = tick(at);
  op.end = tick(at + 5);
  op.bytes = bytes;
  return op;
}

}  // namespace

BufferBuilder& BufferBuilder::thread(std::uint32_t tid) {
  return add(spool::Tag::kBufferThread, spool::BufferThread{{}, tid, tick(0)});
}

BufferBuilder& BufferBuilder::module(std::uint32_t id, const std::string& path, std::uint64_t bias,
                                     const std::string& build_id, std::uint64_t size) {
  spool::Module module{};
  module.id = spool::ModuleId{id};
  module.bias = bias;
  module.begin = bias;
  module.end = bias + size;
  module.build_id_size = static_cast<std::uint32_t>(build_id.size());
  module.path_size = static_cast<std::uint32_t>(path.size() + 1);
  return add(spool::Tag::kModule, module, build_id + path + '\0');
}

BufferBuilder& BufferBuilder::site(std::uint32_t id, spool::Entry entry, std::uint64_t codeptr,
                                   const SiteText& text, std::uint64_t kernel,
                                   std::uint32_t module) {
  std::string tail = text.psource + '\0';
  for (const std::string& name : text.names) tail += name + '\0';
  spool::Site site{};
  site.id = spool::SiteId{id};
  site.codeptr = codeptr;
  site.kernel = kernel;
  site.module = spool::ModuleId{module};
  site.name_count = static_cast<std::uint32_t>(text.names.size());
  site.text_size = static_cast<std::uint32_t>(tail.size());
  return add(spool::Tag::kSite, site, tail, static_cast<std::uint8_t>(entry));
}

BufferBuilder& BufferBuilder::record(std::string bytes) {
  Step step;
  step.kind = Step::Kind::kRecord;
  step.bytes = std::move(bytes);
  steps_.push_back(std::move(step));
  return *this;
}

BufferBuilder& BufferBuilder::raw(std::string_view bytes) {
  Step step;
  step.bytes = bytes;
  steps_.push_back(std::move(step));
  return *this;
}

BufferBuilder& BufferBuilder::map_list(std::uint32_t id, const std::vector<spool::MapItem>& items) {
  lists_[id] = items;
  return *this;
}

BufferBuilder& BufferBuilder::region(std::uint32_t id, std::uint32_t site, std::uint8_t kind,
                                     std::uint64_t begin, std::uint64_t end, std::uint32_t map_list,
                                     std::int32_t device, std::uint32_t path) {
  Step step;
  step.kind = Step::Kind::kRegion;
  step.region = id;
  step.list = map_list;
  step.begin = tick(begin);
  step.end = end == 0 ? 0 : tick(end);
  step.context[spool::kContextSite] = site;
  step.context[spool::kContextPath] = path;
  step.context[spool::kContextDevice] =
      static_cast<std::uint64_t>(static_cast<std::int64_t>(device));
  step.context[spool::kContextKind] = kind;
  steps_.push_back(std::move(step));
  return *this;
}

BufferBuilder& BufferBuilder::end(std::uint64_t at) {
  Step step;
  step.kind = Step::Kind::kEnd;
  step.end = tick(at);
  steps_.push_back(std::move(step));
  return *this;
}

BufferBuilder& BufferBuilder::op(std::uint32_t region, Operation op) {
  Step step;
  step.kind = Step::Kind::kOp;
  step.region = region;
  step.op = op;
  steps_.push_back(std::move(step));
  return *this;
}

BufferBuilder& BufferBuilder::api_op(std::uint32_t site, Operation op, std::uint32_t path) {
  Step step;
  step.kind = Step::Kind::kApiOp;
  step.site = site;
  step.path = path;
  step.op = op;
  steps_.push_back(std::move(step));
  return *this;
}

BufferBuilder& BufferBuilder::content(std::uint64_t fingerprint, std::uint64_t hash,
                                      std::uint64_t ticks, std::uint64_t flags) {
  Step step;
  step.kind = Step::Kind::kContent;
  step.content[spool::kContentFingerprint] = fingerprint;
  step.content[spool::kContentHash] = hash;
  step.content[spool::kContentFlags] = flags;
  step.begin = ticks;
  steps_.push_back(std::move(step));
  return *this;
}

BufferBuilder& BufferBuilder::launch(Submit submit) {
  Step step;
  step.kind = Step::Kind::kLaunch;
  step.region = submit.region;
  step.submit = submit;
  steps_.push_back(std::move(step));
  return *this;
}

BufferBuilder& BufferBuilder::symbol(std::uint64_t address, std::uint64_t size,
                                     const std::string& name, std::uint32_t module) {
  spool::OffloadEntry entry{};
  entry.module = spool::ModuleId{module};
  entry.address = address;
  entry.size = size;
  entry.name_size = static_cast<std::uint32_t>(name.size() + 1);
  return add(spool::Tag::kEntry, entry, name + '\0');
}

BufferBuilder& BufferBuilder::device(std::int32_t number, const std::string& type,
                                     std::uint64_t ticks) {
  spool::Device device{};
  device.number = number;
  device.ticks = tick(ticks);
  device.text_size = static_cast<std::uint32_t>(type.size() + 1);
  return add(spool::Tag::kDevice, device, type + '\0',
             static_cast<std::uint8_t>(spool::DeviceEvent::kInitialize));
}

spool::FileHeader plain_header() {
  spool::FileHeader header{};
  std::memcpy(header.magic, spool::kMagic, sizeof(header.magic));
  header.version = spool::kVersion;
  header.header_size = sizeof(header);
  header.pid = 4242;
  header.ppid = 4241;
  header.process_start = 77;
  header.clock = spool::Clock::kMonotonic;
  header.state = spool::State::kFinished;
  header.rank = -1;
  header.omp_version = 201611;
  header.reach = spool::Reach::kOk;
  header.attach = {tick(0), tick(0), 1'700'000'000'000'000'000U};
  header.trailer = {tick(1'000'000), tick(1'000'000), 1'700'000'000'001'000'000U};
  std::strcpy(header.boot_id, "another-boot");
  std::strcpy(header.host, "another-host");
  std::strcpy(header.program, "/home/u/heat");
  std::memcpy(header.arguments, "./heat\0001000\000", 12);
  return header;
}

std::string spool_bytes(const spool::FileHeader& header, const std::vector<BufferBuilder>& chunks) {
  std::string bytes(reinterpret_cast<const char*>(&header), sizeof(header));
  for (const BufferBuilder& chunk : chunks) bytes += chunk.bytes();
  return bytes;
}

std::filesystem::path write_file(const std::string& name, const std::string& bytes) {
  static const TemporaryFolder kFolder;
  const std::filesystem::path path = kFolder.path() / name;
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

Operation alloc(std::uint64_t at, std::uint64_t host, std::uint64_t device, std::uint64_t bytes) {
  Operation op = operation(1, at, bytes);
  op.src = host;
  op.dst = device;
  op.src_device = kHost;
  return op;
}

Operation to_device(std::uint64_t at, std::uint64_t host, std::uint64_t device,
                    std::uint64_t bytes) {
  Operation op = operation(2, at, bytes);
  op.src = host;
  op.dst = device;
  op.src_device = kHost;
  return op;
}

Operation from_device(std::uint64_t at, std::uint64_t device, std::uint64_t host,
                      std::uint64_t bytes) {
  Operation op = operation(3, at, bytes);
  op.src = device;
  op.dst = host;
  op.dst_device = kHost;
  return op;
}

Operation free_on_device(std::uint64_t at, std::uint64_t device) {
  Operation op = operation(4, at, 0);
  op.src = device;
  op.dst_device = -1;
  return op;
}

std::filesystem::path spool_of(const std::string& name, const spool::FileHeader& header) {
  BufferBuilder buffer(0);
  buffer.thread(7).site(1, spool::Entry::kKernel, 0x10, {";a.cpp;main;7;1;;", {}});
  buffer.region(1, 1, 1, 10, 20);
  return write_file(name, spool_bytes(header, {buffer}));
}

}  // namespace ompdm::test
