// The same addresses in the app and in the script that runs before it.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { isBusinessForm } from './business-form'

const BOOT = readFileSync(join(import.meta.dirname, '../../public/theme-boot.js'), 'utf8')

type Device = { isDark?: boolean; stored?: string; refusesStorage?: boolean }

/** The marks of the page's root after the script. */
function boot(address: string, { isDark = false, stored, refusesStorage = false }: Device = {}) {
  const dataset: Record<string, string> = {}
  const { pathname, search } = new URL(address, 'https://toolbox.example')
  const getItem = (key: string) => {
    if (refusesStorage) throw new Error('refused')
    return key === 'toolbox.theme' ? (stored ?? null) : null
  }
  runInNewContext(BOOT, {
    document: { documentElement: { dataset }, querySelector: () => ({ setAttribute: () => undefined }) },
    location: { pathname, search },
    localStorage: { getItem },
    matchMedia: () => ({ matches: isDark }),
    navigator: { deviceMemory: 8 },
  })
  return dataset
}

describe.each([
  ['/lead?org=acme', true],
  ['/lead/?org=acme', true],
  ['/quote?utm=1&orgId=acme', true],
  ['/quote-request?org=acme', true],
  ['/lead', false],
  ['/lead?org=', false],
  ['/lead?torg=acme', false],
  ['/leads?org=acme', false],
  ['/lead/3f2a?org=acme', false],
  ['/checkout?org=acme', false],
])('%s', (address, isForm) => {
  it(`is ${isForm ? 'a' : 'no'} form of a business`, () => {
    expect(isBusinessForm(new URL(address, 'https://toolbox.example'))).toBe(isForm)
    expect(boot(address)['look']).toBe(isForm ? 'business' : undefined)
  })
})

it('form of a business: light unless the device is dark, whatever the app is set to', () => {
  expect(boot('/lead?org=acme', { stored: 'toolbox' })['theme']).toBe('toolbox-day')
  expect(boot('/lead?org=acme', { stored: 'toolbox-day', isDark: true })['theme']).toBe('toolbox')
  expect(boot('/lead?org=acme', { refusesStorage: true })['theme']).toBe('toolbox-day')
})

it('other pages: the theme that was chosen, else the device’s', () => {
  expect(boot('/login', { stored: 'toolbox-day', isDark: true })).toEqual({
    theme: 'toolbox-day',
    chosenTheme: 'toolbox-day',
  })
  expect(boot('/login', { stored: 'toolbox' })['theme']).toBe('toolbox')
  expect(boot('/login', { stored: 'system', isDark: true })).toEqual({ theme: 'toolbox' })
  expect(boot('/login', { stored: 'neon' })).toEqual({ theme: 'toolbox-day' })
  expect(boot('/login')['theme']).toBe('toolbox-day')
  expect(boot('/login', { isDark: true })['theme']).toBe('toolbox')
  expect(boot('/login', { refusesStorage: true, isDark: true })['theme']).toBe('toolbox')
})
