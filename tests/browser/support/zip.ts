// Files in a zip that Toolbox made: uncompressed, with each size before its bytes.
const ENTRY = 0x04034b50
const HEADER = 30

/** The files by their names, in their order. */
export function readStoredZip(zip: Buffer): Map<string, Buffer> {
  const files = new Map<string, Buffer>()
  for (let at = 0; at + HEADER <= zip.length && zip.readUInt32LE(at) === ENTRY;) {
    const [size, nameLength, extraLength] = [
      zip.readUInt32LE(at + 18),
      zip.readUInt16LE(at + 26),
      zip.readUInt16LE(at + 28),
    ]
    const name = zip.subarray(at + HEADER, at + HEADER + nameLength).toString('utf8')
    const begin = at + HEADER + nameLength + extraLength
    files.set(name, zip.subarray(begin, begin + size))
    at = begin + size
  }
  return files
}
