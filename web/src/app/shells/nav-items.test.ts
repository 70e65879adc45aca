import { expect, it } from 'vitest'
import { isOfficeOnlyPath, isNavItemActive, navItems } from './nav-items'

it.each([
  ['/app/leads', '/app/leads', true],
  ['/app/leads/3f2a', '/app/leads', true],
  ['/app', '/app', true],
  ['/', '/app', true],
  ['/', '/app/leads', false],
  ['/app/leads', '/app', false],
  ['/app/jobs', '/app/leads', false],
])('at %s: link %s active: %s', (pathname, href, isLit) => expect(isNavItemActive(pathname, href)).toBe(isLit))

it('crew: sees no office links', () => {
  expect(navItems('crew').filter(({ href }) => isOfficeOnlyPath(href))).toEqual([])
  expect(navItems('office')).toEqual(navItems('owner'))
})

it.each([
  ['/app/leads/3f2a', true],
  ['/lead/3f2a', true],
  ['/app/inbox', true],
  ['/app/payments', true],
  ['/app/recovered', true],
  ['/app/reviews', true],
  ['/app/settings', true],
  ['/app/admin', false],
  ['/app/billing', true],
  ['/app/jobs/3f2a', false],
  ['/app/today/3f2a', false],
  ['/no/such/page', false],
])('%s is office only: %s', (pathname, isOffices) => expect(isOfficeOnlyPath(pathname)).toBe(isOffices))
