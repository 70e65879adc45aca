// The providers of a connected install: a fake Twilio that records what the handset received, and a real mail server.
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect } from '@playwright/test'
import { SMTPServer } from 'smtp-server'
import type { Install } from './install'
import { Program, REPOSITORY } from './program'

const FAKES = process.env['FAKES_BIN'] ?? join(REPOSITORY, 'target/debug/fakes')
/** The account that the fake Twilio knows. */
const ACCOUNT = {
  TWILIO_ACCOUNT_SID: 'ACfa4e00000000000000000000000000fa',
  TWILIO_AUTH_TOKEN: 'fake-twilio-auth-token',
  TWILIO_FROM: '+15005550006',
}

/** A text that reached a handset, with the parameters it was posted with. */
export type ReceivedText = {
  sid: string
  to: string
  from: string | null
  messaging_service_sid: string | null
  body: string
  validity_period: number | null
}

/** Where an install is, for who posts to its webhooks. */
const toInstallTarget = (install: Install) => ({ base: install.url })

/** The HTML part of an email. */
export type RenderedEmail = { name: string; html: string }

/** Every wording to customers, a notice and a report, with long names, words and links. */
export async function renderLongEmails(): Promise<RenderedEmail[]> {
  return JSON.parse(await new Program(FAKES, ['emails'], {}).finish()) as RenderedEmail[]
}

export class FakeTwilio {
  private constructor(
    private readonly program: Program,
    readonly url: string,
  ) {}

  static async start(): Promise<FakeTwilio> {
    const program = new Program(FAKES, [], {})
    return new FakeTwilio(program, await program.line(/^twilio (\S+)$/m))
  }

  get variables(): Record<string, string> {
    return { ...ACCOUNT, TWILIO_API_URL: this.url }
  }

  /** The number that every text comes from, and that customers write to and ring. */
  get number(): string {
    return ACCOUNT.TWILIO_FROM
  }

  /** A customer writes to the number; the install must have taken it. */
  async text(install: Install, from: string, body: string, pictures: readonly Buffer[] = []): Promise<void> {
    const files = pictures.map((bytes) => ({ content_type: 'image/jpeg', base64: bytes.toString('base64') }))
    const { answers } = await this.control<{ answers: { status: number }[] }>('__text', {
      product: toInstallTarget(install),
      text: { from, to: this.number, body, pictures: files },
    })
    expect(answers.map(({ status }) => status)).toEqual([200])
  }

  /** A customer calls the number, and the call is not answered. */
  async ring(install: Install, from: string): Promise<void> {
    const { errors } = await this.control<{ errors: string[] }>('__call', {
      product: toInstallTarget(install),
      call: { from, to: this.number },
    })
    expect(errors).toEqual([])
  }

  /** Twilio says what became of a text. */
  async report(
    install: Install,
    sid: string,
    status: 'sent' | 'delivered' | 'undelivered',
    code?: number,
  ): Promise<void> {
    const answers = await this.control<{ status: number }[]>('__report', {
      product: toInstallTarget(install),
      report: { sid, status, ...(code === undefined ? {} : { code }) },
    })
    expect(
      answers.every(({ status: answered }) => answered >= 200 && answered < 300),
      JSON.stringify(answers),
    ).toBe(true)
  }

  private async control<T>(path: string, body: unknown): Promise<T> {
    const answer = await fetch(`${this.url}/${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    })
    expect(answer.status, await answer.clone().text()).toBe(200)
    return (await answer.json()) as T
  }

  /** Every text to this number. */
  async textsTo(number: string): Promise<ReceivedText[]> {
    const answer = await fetch(`${this.url}/__ledger`)
    const { received } = (await answer.json()) as { received: ReceivedText[] }
    return received.filter(({ to }) => to === number)
  }

  stop(): Promise<void> {
    return this.program.stop('SIGINT')
  }
}

/** Stripe, where businesses pay for an install. */
export class FakeStripe {
  private constructor(
    private readonly program: Program,
    private readonly control: string,
    private readonly url: string,
  ) {}

  static async start(): Promise<FakeStripe> {
    const program = new Program(FAKES, [], {})
    return new FakeStripe(program, await program.line(/^twilio (\S+)$/m), await program.line(/^stripe (\S+)$/m))
  }

  get variables(): Record<string, string> {
    return {
      STRIPE_API_URL: this.url,
      STRIPE_SECRET_KEY: 'sk_test_51FakeStripeAccount4242',
      STRIPE_PUBLISHABLE_KEY: 'pk_test_story',
      STRIPE_WEBHOOK_SECRET: 'whsec_fakeendpointsecret',
      STRIPE_PRICE_MONTHLY: 'price_monthly',
      STRIPE_PRICE_SETUP: 'price_setup',
      STRIPE_PRICE_SIX_MONTHS: 'price_six_months',
      STRIPE_PRICE_SETUP_SIX_MONTHS: 'price_setup_six_months',
    }
  }

  /** The first payment of the newest subscription arrives, with its event. Returns the amount in cents. */
  async isPaid(install: Install): Promise<number> {
    const all = (await (await fetch(`${this.control}/__subscriptions`)).json()) as { id: string; first: number }[]
    const newest = all.at(-1)
    const answer = await fetch(`${this.control}/__paid`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ product: toInstallTarget(install), subscription: newest?.id }),
    })
    expect(await answer.json()).toEqual({ status: 200 })
    return newest?.first ?? 0
  }

  stop(): Promise<void> {
    return this.program.stop('SIGINT')
  }
}

export type ReceivedEmail = { to: string[]; raw: string }

export class Mailbox {
  private readonly emails: ReceivedEmail[] = []
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
          this.emails.push({ to, raw: Buffer.concat(chunks).toString('utf8') })
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

  /** Every letter to anyone. */
  allLetters(): readonly ReceivedEmail[] {
    return this.emails
  }

  /** Every letter to this address. */
  lettersTo(address: string): ReceivedEmail[] {
    return this.emails.filter(({ to }) => to.includes(address.toLowerCase()))
  }

  stop(): Promise<void> {
    return new Promise((done) => this.server.close(() => done()))
  }
}
