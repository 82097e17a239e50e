"""Cubins as the stand-in driver takes them: ELF files of NVIDIA's machine type that hold the symbols of a PTX text,
kernels without code and variables with their initial bytes. LLVM's CUDA plugin reads them as it reads ptxas's."""
import re
import struct

EM_CUDA = 190
TYPES = {"b8": 1, "u8": 1, "s8": 1, "b16": 2, "u16": 2, "s16": 2, "f16": 2, "b32": 4, "u32": 4, "s32": 4, "f32": 4,
         "b64": 8, "u64": 8, "s64": 8, "f64": 8}
VARIABLE = re.compile(
    r"^(?P<visible>\.visible|\.weak|\.common)?\s*\.(?:global|const)\s+(?:\.attribute\([^)]*\)\s+)?"
    r"\.align\s+\d+\s+\.(?P<type>\w+)\s+(?P<name>[\w$]+)(?:\[(?P<count>\d*)\])?(?:\s*=\s*(?P<value>.*?))?;\s*$",
    re.MULTILINE | re.DOTALL)
ENTRY = re.compile(r"^(?:\.visible|\.weak)?\s*\.entry\s+([\w$]+)", re.MULTILINE)


def _bytes_of(kind, count, value):
    size = TYPES[kind]
    data = bytearray()
    for number in (value or "").strip("{} \n").split(","):
        # Addresses (`generic(name)`) and masks of them are only known once loaded.
        text = number.strip()
        if not text:
            continue
        if text.startswith(("0f", "0F", "0d", "0D")):
            data += struct.pack("<f" if size == 4 else "<d",
                                struct.unpack(">f" if size == 4 else ">d", bytes.fromhex(text[2:]))[0])
            continue
        whole = int(text, 0) if re.fullmatch(r"-?\w+", text) and not text[0].isalpha() and text[0] != "_" else 0
        data += (whole % (1 << 8 * size)).to_bytes(size, "little")
    return bytes(data).ljust(size * count, b"\0")


def symbols_of_ptx(text):
    """[(name, is_kernel, is_global, bytes)] of a PTX text."""
    text = re.sub(r"//[^\n]*", "", text)
    found = [(name, True, True, b"\0" * 8) for name in ENTRY.findall(text)]
    for match in VARIABLE.finditer(text):
        count = int(match["count"]) if match["count"] else 1
        found.append((match["name"], False, match["visible"] is not None,
                      _bytes_of(match["type"], count, match["value"])))
    return found


def symbols_of_cubin(data):
    """The same of a cubin written here."""
    table, = struct.unpack_from("<Q", data, 40)
    sections = [struct.unpack_from("<IIQQQQIIQQ", data, table + 64 * i)
                for i in range(struct.unpack_from("<H", data, 60)[0])]
    symbols = next(s for s in sections if s[1] == 2)
    names = sections[symbols[6]]
    found = []
    for at in range(symbols[4] + 24, symbols[4] + symbols[5], 24):
        name, info, _, section, value, size = struct.unpack_from("<IBBHQQ", data, at)
        begin = names[4] + name
        text = data[begin:data.index(b"\0", begin)].decode()
        place = sections[section][4] + value
        found.append((text, info & 15 == 2, info >> 4 == 1, data[place:place + size]))
    return found


RELOCATABLE, EXECUTABLE = 1, 2


def write_cubin(symbols, sm, kind):
    """An ELF file whose flags name architecture `sm` as LLVM 19 reads them (CUDA 12's layout)."""
    code, variables, names, table = bytearray(), bytearray(), bytearray(b"\0"), bytearray(24)
    ordered = sorted(symbols, key=lambda symbol: symbol[2])  # local ones first
    for name, is_kernel, is_global, data in ordered:
        section = code if is_kernel else variables
        section += b"\0" * (-len(section) % 16)
        table += struct.pack("<IBBHQQ", len(names), (16 if is_global else 0) | (2 if is_kernel else 1), 0,
                             1 if is_kernel else 2, len(section), len(data))
        section += data
        names += name.encode() + b"\0"
    locals_ = 1 + sum(not symbol[2] for symbol in ordered)
    section_names = b"\0.text\0.nv.global.init\0.symtab\0.strtab\0.shstrtab\0"
    bodies = [(b".text", 1, 6, bytes(code), 0, 0, 16, 0), (b".nv.global.init", 1, 3, bytes(variables), 0, 0, 16, 0),
              (b".symtab", 2, 0, bytes(table), 4, locals_, 8, 24), (b".strtab", 3, 0, bytes(names), 0, 0, 1, 0),
              (b".shstrtab", 3, 0, section_names, 0, 0, 1, 0)]
    body, headers = bytearray(), bytearray(64)
    for name, section_kind, flags, data, link, info, align, entry in bodies:
        body += b"\0" * (-(64 + len(body)) % 16)
        headers += struct.pack("<IIQQQQIIQQ", section_names.index(name), section_kind, flags, 0, 64 + len(body), len(data),
                               link, info, align, entry)
        body += data
    body += b"\0" * (-(64 + len(body)) % 16)
    header = b"\x7fELF\x02\x01\x01\x33\x07" + bytes(7) + struct.pack(
        "<HHIQQQIHHHHHH", kind, EM_CUDA, 1, 0, 0, 64 + len(body), sm << 16 | 0x500 | sm, 64, 56, 0, 64, len(bodies) + 1,
        len(bodies))
    return bytes(header) + bytes(body) + bytes(headers)


def architecture(arguments):
    """90 of `--gpu-name sm_90` or `-arch sm_90`, in whatever spelling."""
    return int(re.search(r"(?:sm|compute)_(\d+)", " ".join(arguments))[1])
