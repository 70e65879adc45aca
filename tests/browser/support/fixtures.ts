// `test` for the stories: installs that run for the whole test run, and pages of their users.
import { test as base, type BrowserContext, type BrowserContextOptions, expect, type Page } from '@playwright/test'
import { type Business, registerBusiness } from './business'
import { Install, type Variables } from './install'
import { Mailbox, FakeStripe, FakeTwilio } from './providers'

export type ConnectedInstall = { install: Install; twilio: FakeTwilio; mailbox: Mailbox }

type Installs = {
  /** An install where nothing is set up: no Twilio, no mail server. */
  freshInstall: Install
  /** An install with the demonstration, which texts and mails as a connected one does. */
  demoInstall: Install
  /** A business on the bare install, shared by stories that do not mind each other's leads. */
  sharedBusiness: Business
}

type Own = {
  /** An install that texts through Twilio and mails through a server; its number is its first business's. */
  connected: ConnectedInstall
  /** An install for one story alone, which may break it. */
  ownInstall: Install
  /** An install for one story alone, whose number customers write to and ring. */
  ownLine: ConnectedInstall
  /** A mail server for one story's installs. */
  ownMail: Mailbox
  /** A Stripe for one story's installs. */
  ownStripe: FakeStripe
  /** Starts an install for one story alone, with these variables, which may be furnished before it starts. */
  startInstall: (extra?: Variables, furnish?: (install: Install) => Promise<unknown>) => Promise<Install>
  /** A page in a browser of its own. An error that no screen caught fails the story. */
  openPage: (options: BrowserContextOptions) => Promise<Page>
  /** A page in a browser of its own, not signed in. */
  visitor: (install: Install) => Promise<Page>
  /** A page in a browser of its own, signed in as the owner. */
  owner: (business: Business) => Promise<Page>
}

/** Lends an install with its providers, and ends all of them whatever happened. */
async function withProviders(
  use: (connected: ConnectedInstall) => Promise<void>,
  extra: Readonly<Record<string, string>> = {},
): Promise<void> {
  const [twilio, mailbox] = await Promise.all([FakeTwilio.start(), Mailbox.start()])
  const install = await Install.start({ ...twilio.variables, ...mailbox.variables, ...extra })
  await use({ install, twilio, mailbox })
  try {
    await install.stop()
  } finally {
    await Promise.all([twilio.stop(), mailbox.stop()])
  }
}

export const test = base.extend<Own, Installs>({
  freshInstall: [
    async ({}, use) => {
      const install = await Install.start()
      await use(install)
      await install.stop()
    },
    { scope: 'worker', timeout: 60_000 },
  ],

  demoInstall: [
    ({}, use) => withProviders(({ install }) => use(install), { DEMO: 'on' }),
    { scope: 'worker', timeout: 60_000 },
  ],

  sharedBusiness: [async ({ freshInstall }, use) => use(await registerBusiness(freshInstall)), { scope: 'worker' }],

  ownInstall: async ({}, use) => {
    const install = await Install.start()
    await use(install)
    await install.stop()
  },

  connected: ({}, use) => withProviders(use),

  ownLine: ({}, use) => withProviders(use),

  ownMail: async ({}, use) => {
    const mailbox = await Mailbox.start()
    await use(mailbox)
    await mailbox.stop()
  },

  ownStripe: async ({}, use) => {
    const stripe = await FakeStripe.start()
    await use(stripe)
    await stripe.stop()
  },

  startInstall: async ({}, use) => {
    const installs: Install[] = []
    await use(async (extra, furnish) => {
      const install = await Install.start(extra, furnish)
      installs.push(install)
      return install
    })
    // One that fails to stop must not keep the others running.
    const ends = await Promise.allSettled(installs.map((install) => install.stop()))
    for (const end of ends) if (end.status === 'rejected') throw end.reason
  },

  openPage: async ({ browser }, use) => {
    const contexts: BrowserContext[] = []
    const faults: string[] = []
    await use(async (options) => {
      const context = await browser.newContext(options)
      contexts.push(context)
      context.on('weberror', (fault) => {
        const { name, message, stack } = fault.error()
        // What was thrown may be no error with a stack.
        faults.push(stack || `${name}: ${message}`)
      })
      context.on('console', (line) => {
        if (line.type() === 'error' && line.text().includes('Content Security Policy')) faults.push(line.text())
      })
      return context.newPage()
    })
    await Promise.all(contexts.map((context) => context.close()))
    expect(faults, 'errors that no screen caught').toEqual([])
  },

  visitor: ({ openPage }, use) => use((install) => openPage({ baseURL: install.url })),

  owner: ({ openPage }, use) =>
    use(({ install, signedIn }) => openPage({ baseURL: install.url, storageState: signedIn })),
})

export { expect }
