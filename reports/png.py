"""Pictures of few bytes: a palette of 256 colours is enough for a page."""
import array
import base64
import collections
import struct
import zlib

COLOURS = 256
PIXELS = """
    const [text, done] = arguments;
    const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    createImageBitmap(new Blob([bytes], {type: 'image/png'})).then((image) => {
      const context = new OffscreenCanvas(image.width, image.height).getContext('2d');
      context.drawImage(image, 0, 0);
      const {data} = context.getImageData(0, 0, image.width, image.height);
      let packed = '';
      for (let i = 0; i < data.length; i += 30000) packed += String.fromCharCode(...data.subarray(i, i + 30000));
      done([image.width, image.height, btoa(packed)]);
    });"""


def chunk(kind, body):
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def nearest(colour, palette):
    """Position of the colour that is most like one that has no place of its own."""
    return min(range(len(palette)), key=lambda i: sum((one - other) ** 2 for one, other in zip(palette[i], colour)))


def with_palette(driver, text):
    """A PNG in base64, as its bytes with a palette. A browser reads the one that it wrote."""
    width, height, packed = driver.execute_async_script(PIXELS, text)
    pixels = array.array("I", base64.b64decode(packed))
    count = collections.Counter(pixels)
    channels = {pixel: pixel.to_bytes(4, "little")[:3] for pixel in count}
    palette = [channels[pixel] for pixel, _ in count.most_common(COLOURS)]
    known = {colour: i for i, colour in enumerate(palette)}
    place = {pixel: known.get(colour, -1) for pixel, colour in channels.items()}
    for pixel in place:
        if place[pixel] < 0:
            place[pixel] = nearest(channels[pixel], palette)
    rows = (bytes(place[pixel] for pixel in pixels[y * width:(y + 1) * width]) for y in range(height))
    lines = b"".join(b"\0" + row for row in rows)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0))
            + chunk(b"PLTE", b"".join(palette)) + chunk(b"IDAT", zlib.compress(lines, 9)) + chunk(b"IEND", b""))
