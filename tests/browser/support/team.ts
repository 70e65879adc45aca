// Team members, invited by the owner and joined by the link of the invitation.
import { randomBytes } from 'node:crypto'
import { type APIRequestContext, expect, type Page, request } from '@playwright/test'
import type { Business } from './business'
import type { Install } from './install'
import { findEmailedLink } from './saved-emails'
import { postAsPage } from './seed-week'

export type Colleague = { name: string; email: string; password: string }
type Role = 'office' | 'crew' | 'owner'

/** Somebody who works in a business and signs in with an address of their own. */
export function buildColleague(name: string): Colleague {
  const mark = randomBytes(4).toString('hex')
  return {
    name,
    email: `${name.split(' ')[0]?.toLowerCase() ?? ''}.${mark}@keller-roofing.example`,
    password: `bucket-${mark}-${mark}`,
  }
}

/** Where the mailed link of an invitation leads: it proves the address that it was mailed to. */
async function mailedPath(install: Install, email: string): Promise<string> {
  let path: string | undefined
  await expect
    .poll(async () => {
      path = await findEmailedLink(install, email, /\/join\/[\w-]+~[\w-]+/)
      return path
    })
    .toBeDefined()
  return path ?? ''
}

/** The path of an unused invitation link. */
export async function createInvitation({ install, signedIn }: Business): Promise<string> {
  const api = await request.newContext({
    baseURL: install.url,
    storageState: signedIn,
    extraHTTPHeaders: { Origin: install.url },
  })
  const { name, email } = buildColleague('Sam Field')
  const answer = await api.post('/api/team/invites', { data: { name, email, role: 'crew' } })
  expect(answer.status(), await answer.text()).toBe(201)
  await api.dispose()
  return mailedPath(install, email)
}

/** Joins without the form, for stories about what comes after; from then on `page` is theirs. */
export async function joinBusiness(
  page: Page,
  owner: Page,
  business: Business,
  role: Role,
  colleague = buildColleague('Sam Field'),
): Promise<Colleague> {
  const { name, email, password } = colleague
  await postAsPage(owner, business, '/api/team/invites', { name, email, role })
  const path = await mailedPath(business.install, email)
  const token = path.split('/').at(-1) ?? ''
  await postAsPage(page, business, `/api/public/invite/${token}`, { name, email, password })
  return colleague
}

/** The server answers this person so, whatever a screen shows them. */
export async function expectApiStatus(api: APIRequestContext, status: number, paths: readonly string[]): Promise<void> {
  const answers = await Promise.all(paths.map(async (path) => `${path}: ${(await api.get(path)).status()}`))
  expect(answers).toEqual(paths.map((path) => `${path}: ${status}`))
}
