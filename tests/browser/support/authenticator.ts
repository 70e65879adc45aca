// An authenticator app: RFC 6238 with SHA-1, six digits and thirty seconds.
import { createHmac } from 'node:crypto'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
const STEP_SECONDS = 30

function fromBase32(text: string): Buffer {
  const bits = Array.from(text, (letter) => ALPHABET.indexOf(letter).toString(2).padStart(5, '0')).join('')
  return Buffer.from(bits.match(/.{8}/g)?.map((byte) => Number.parseInt(byte, 2)) ?? [])
}

export class Authenticator {
  private readonly secret: Buffer
  private last = 0

  /** From the address that the app is opened with. */
  constructor(address: string) {
    this.secret = fromBase32(new URL(address).searchParams.get('secret') ?? '')
  }

  /** A code that was not shown before: where the last one is still the newest, the one after it, which is good already. */
  code(): string {
    this.last = Math.max(Math.floor(Date.now() / 1000 / STEP_SECONDS), this.last + 1)
    const counter = Buffer.alloc(8)
    counter.writeBigUInt64BE(BigInt(this.last))
    const hash = createHmac('sha1', this.secret).update(counter).digest()
    const at = (hash.at(-1) ?? 0) & 0xf
    return String((hash.readUInt32BE(at) & 0x7fffffff) % 1_000_000).padStart(6, '0')
  }
}
