// Which link of the navigation is lit.
import { expect, it } from 'vitest'
import { isNavItemActive } from './nav-items'

it.each([
  ['/app/leads', '/app/leads', true],
  ['/app/leads/3f2a', '/app/leads', true],
  ['/app', '/app', true],
  ['/app/leads', '/app', false],
  ['/app/jobs', '/app/leads', false],
])('at %s the link to %s is lit: %s', (pathname, href, isLit) => expect(isNavItemActive(pathname, href)).toBe(isLit))
