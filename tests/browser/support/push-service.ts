// A local push service: it accepts encrypted alerts and decrypts them as the device would (RFC 8291).
import { createDecipheriv, createECDH, createHmac, randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

export type PushPayload = {
  title: string
  body: string
  url: string
  tag: string
  leadId?: string
  urgent: boolean
  deviceId: string
  test: boolean
}

const hmac = (key: Buffer, ...parts: (Buffer | string)[]) => {
  const mac = createHmac('sha256', key)
  for (const part of parts) mac.update(part)
  return mac.digest()
}

/** One address of a device, with the keys that only the device has. */
export class PushDevice {
  readonly path = `/push/${randomUUID()}`
  readonly received: PushPayload[] = []
  isGone = false
  private readonly keys = createECDH('prime256v1')
  private readonly auth = randomBytes(16)
  private readonly publicKey: Buffer

  constructor(private readonly origin: string) {
    this.publicKey = this.keys.generateKeys()
  }

  /** What the browser gives the page. */
  get subscription(): { endpoint: string; keys: { p256dh: string; auth: string } } {
    return {
      endpoint: `${this.origin}${this.path}`,
      keys: { p256dh: this.publicKey.toString('base64url'), auth: this.auth.toString('base64url') },
    }
  }

  take(sealed: Buffer): void {
    this.received.push(JSON.parse(this.open(sealed)) as PushPayload)
  }

  private open(sealed: Buffer): string {
    const salt = sealed.subarray(0, 16)
    const length = sealed.readUInt8(20)
    const sender = sealed.subarray(21, 21 + length)
    const body = sealed.subarray(21 + length)
    const shared = hmac(this.auth, this.keys.computeSecret(sender))
    const secret = hmac(salt, hmac(shared, 'WebPush: info\0', this.publicKey, sender, Buffer.of(1)))
    const key = hmac(secret, 'Content-Encoding: aes128gcm\0', Buffer.of(1)).subarray(0, 16)
    const nonce = hmac(secret, 'Content-Encoding: nonce\0', Buffer.of(1)).subarray(0, 12)
    const opener = createDecipheriv('aes-128-gcm', key, nonce).setAuthTag(body.subarray(-16))
    const padded = Buffer.concat([opener.update(body.subarray(0, -16)), opener.final()])
    // A 2 ends the last record; what follows it is padding.
    return padded.subarray(0, padded.lastIndexOf(2)).toString('utf8')
  }
}

export class PushService {
  private readonly devices: PushDevice[] = []

  private constructor(
    private readonly server: Server,
    private readonly origin: string,
  ) {}

  static async start(): Promise<PushService> {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const service = new PushService(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    server.on('request', (request, response) => {
      const parts: Buffer[] = []
      request.on('data', (part: Buffer) => parts.push(part))
      request.on('end', () => {
        const device = service.devices.find(({ path }) => path === request.url)
        if (device && !device.isGone) device.take(Buffer.concat(parts))
        response.writeHead(!device || device.isGone ? 410 : 201).end()
      })
    })
    return service
  }

  get variables(): Record<string, string> {
    return { PUSH_TEST_ENDPOINT: this.origin }
  }

  /** A device that is not registered yet. */
  device(): PushDevice {
    const device = new PushDevice(this.origin)
    this.devices.push(device)
    return device
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections()
    this.server.close()
    await once(this.server, 'close')
  }
}
