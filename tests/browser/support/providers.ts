// The outside world of a connected install: a Twilio that remembers what the handset received, and a real mail server.
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { SMTPServer } from 'smtp-server'
import { Program, REPOSITORY } from './program'

const FAKES = process.env['FAKES_BIN'] ?? join(REPOSITORY, 'target/debug/fakes')
/** The account that the fake Twilio knows. */
const ACCOUNT = {
  TWILIO_ACCOUNT_SID: 'ACfa4e00000000000000000000000000fa',
  TWILIO_AUTH_TOKEN: 'fake-twilio-auth-token',
  TWILIO_FROM: '+15005550006',
}

/** A text that reached a handset, with the parameters it was posted with. */
export type Text = {
  to: string
  from: string | null
  messaging_service_sid: string | null
  body: string
  validity_period: number | null
}

export class Twilio {
  private constructor(private readonly program: Program, readonly url: string) {}

  static async start(): Promise<Twilio> {
    const program = new Program(FAKES, [], {})
    return new Twilio(program, await program.line(/^twilio (\S+)$/m))
  }

  get variables(): Record<string, string> {
    return { ...ACCOUNT, TWILIO_API_URL: this.url }
  }

  /** Every text to this number. */
  async textsTo(number: string): Promise<Text[]> {
    const answer = await fetch(`${this.url}/__ledger`)
    const { received } = (await answer.json()) as { received: Text[] }
    return received.filter(({ to }) => to === number)
  }

  stop(): Promise<void> {
    return this.program.stop('SIGINT')
  }
}

export type Letter = { to: string[]; raw: string }

export class Mailbox {
  private readonly letters: Letter[] = []
  private readonly server: SMTPServer
  private port = 0

  private constructor() {
    this.server = new SMTPServer({
      disabledCommands: ['AUTH', 'STARTTLS'],
      logger: false,
      onData: (stream, session, done) => {
        const chunks: Buffer[] = []
        stream.on('data', (chunk: Buffer) => chunks.push(chunk))
        stream.on('end', () => {
          const to = session.envelope.rcptTo.map(({ address }) => address.toLowerCase())
          this.letters.push({ to, raw: Buffer.concat(chunks).toString('utf8') })
          done()
        })
      },
    })
  }

  static async start(): Promise<Mailbox> {
    const mailbox = new Mailbox()
    const listener = mailbox.server.listen(0, '127.0.0.1')
    await once(listener, 'listening')
    mailbox.port = (listener.address() as AddressInfo).port
    return mailbox
  }

  get variables(): Record<string, string> {
    return { SMTP_URL: `smtp://127.0.0.1:${this.port}`, MAIL_FROM: 'Toolbox <office@toolbox.test>' }
  }

  /** Every letter to this address. */
  lettersTo(address: string): Letter[] {
    return this.letters.filter(({ to }) => to.includes(address.toLowerCase()))
  }

  stop(): Promise<void> {
    return new Promise((done) => this.server.close(() => done()))
  }
}
