// `test` for the stories: installs that live as long as the test run, and pages of the people who use them.
import { test as base, type BrowserContext, type BrowserContextOptions, expect, type Page } from '@playwright/test'
import { type Business, openBusiness } from './business'
import { House, type Variables } from './house'
import { Mailbox, Stripe, Twilio } from './providers'

export type Connected = { house: House; twilio: Twilio; mailbox: Mailbox }

type Installs = {
  /** An install where nothing is set up: no Twilio, no mail server. */
  bare: House
  /** An install with the demonstration, which texts and mails as a connected one does. */
  showroom: House
  /** A business on the bare install, shared by stories that do not mind each other's leads. */
  shop: Business
}

type Own = {
  /** An install that texts through Twilio and mails through a server; its number is its first business's. */
  connected: Connected
  /** An install for one story alone, which may break it. */
  ownHouse: House
  /** An install for one story alone, whose number customers write to and ring. */
  ownLine: Connected
  /** A mail server for one story's installs. */
  ownMail: Mailbox
  /** A Stripe for one story's installs. */
  ownStripe: Stripe
  /** Starts an install for one story alone, with these variables, which may be furnished before it starts. */
  install: (extra?: Variables, furnish?: (house: House) => Promise<unknown>) => Promise<House>
  /** A page in a browser of its own. An error that no screen caught fails the story. */
  opened: (options: BrowserContextOptions) => Promise<Page>
  /** A page in a browser of its own, for somebody who is not signed in. */
  visitor: (house: House) => Promise<Page>
  /** A page in a browser of its own, signed in as the owner. */
  owner: (business: Business) => Promise<Page>
}

/** Lends an install with its providers, and ends all of them whatever happened. */
async function withProviders(
  use: (connected: Connected) => Promise<void>,
  extra: Readonly<Record<string, string>> = {},
): Promise<void> {
  const [twilio, mailbox] = await Promise.all([Twilio.start(), Mailbox.start()])
  const house = await House.start({ ...twilio.variables, ...mailbox.variables, ...extra })
  await use({ house, twilio, mailbox })
  try {
    await house.stop()
  } finally {
    await Promise.all([twilio.stop(), mailbox.stop()])
  }
}

export const test = base.extend<Own, Installs>({
  bare: [
    async ({}, use) => {
      const house = await House.start()
      await use(house)
      await house.stop()
    },
    { scope: 'worker', timeout: 60_000 },
  ],

  showroom: [
    ({}, use) => withProviders(({ house }) => use(house), { DEMO: 'on' }),
    { scope: 'worker', timeout: 60_000 },
  ],

  shop: [async ({ bare }, use) => use(await openBusiness(bare)), { scope: 'worker' }],

  ownHouse: async ({}, use) => {
    const house = await House.start()
    await use(house)
    await house.stop()
  },

  connected: ({}, use) => withProviders(use),

  ownLine: ({}, use) => withProviders(use),

  ownMail: async ({}, use) => {
    const mailbox = await Mailbox.start()
    await use(mailbox)
    await mailbox.stop()
  },

  ownStripe: async ({}, use) => {
    const stripe = await Stripe.start()
    await use(stripe)
    await stripe.stop()
  },

  install: async ({}, use) => {
    const houses: House[] = []
    await use(async (extra, furnish) => {
      const house = await House.start(extra, furnish)
      houses.push(house)
      return house
    })
    // One that fails to stop must not keep the others running.
    const ends = await Promise.allSettled(houses.map((house) => house.stop()))
    for (const end of ends) if (end.status === 'rejected') throw end.reason
  },

  opened: async ({ browser }, use) => {
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

  visitor: ({ opened }, use) => use((house) => opened({ baseURL: house.url })),

  owner: ({ opened }, use) => use(({ house, signedIn }) => opened({ baseURL: house.url, storageState: signedIn })),
})

export { expect }
