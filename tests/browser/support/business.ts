// A business with a signed-in owner, registered through the public API.
import { type APIRequestContext, expect, request } from '@playwright/test'
import type { Install } from './install'
import { buildOwner, type Customer, type Owner } from './people'

type SignedIn = Awaited<ReturnType<APIRequestContext['storageState']>>

export type Business = { install: Install; owner: Owner; orgId: string; slug: string; signedIn: SignedIn }

/** Registers the owner and signs in. Their address counts as proven unless a story is about one that is not. */
export async function registerBusiness(
  install: Install,
  over: Partial<Owner> = {},
  { isProven = true } = {},
): Promise<Business> {
  const owner = buildOwner(over)
  const api = await request.newContext({ baseURL: install.url })
  const registered = await api.post('/api/auth/register', { data: owner })
  expect(registered.status(), await registered.text()).toBe(201)
  // Nobody reads the mail of this address, so the operator says that it is theirs, and that they may write to customers.
  if (isProven) await install.command('prove-address', owner.email)
  await install.command('let-through', owner.email)
  const signedIn = await api.post('/api/auth/login', { data: { email: owner.email, password: owner.password } })
  expect(signedIn.status(), await signedIn.text()).toBe(200)
  const { orgId, orgSlug } = (await signedIn.json()) as { orgId: string; orgSlug: string }
  const state = await api.storageState()
  await api.dispose()
  return { install, owner, orgId, slug: orgSlug, signedIn: state }
}

/** Puts a request for work in without the form, for stories about what comes after; gives the lead's id. */
export async function createLead(
  { install, orgId }: Business,
  customer: Customer,
  more: Record<string, string> = {},
): Promise<string> {
  const { name, phone, email, zip, service, notes } = customer
  const api = await request.newContext({ baseURL: install.url })
  const answer = await api.post('/api/leads/create', {
    multipart: { name, phone, email, zip, service, notes, orgId, ...more },
  })
  expect(answer.status(), await answer.text()).toBe(201)
  const { id } = (await answer.json()) as { id: string }
  await api.dispose()
  return id
}

/** Allows notifications at any hour, so that the story does not depend on the time of its run. */
export async function allowNoticesAtAnyHour({ install, orgId, signedIn }: Business): Promise<void> {
  const api = await request.newContext({
    baseURL: install.url,
    storageState: signedIn,
    extraHTTPHeaders: { Origin: install.url },
  })
  const answer = await api.patch(`/api/org/${orgId}/settings`, { data: { notifications: { schedule: 'anytime' } } })
  expect(answer.status(), await answer.text()).toBe(200)
  await api.dispose()
}
