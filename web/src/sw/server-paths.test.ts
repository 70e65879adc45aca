import { describe, expect, it } from 'vitest'
import { ROOT_PATH, SERVER_PATHS } from './server-paths'

const isLeft = (address: string) => SERVER_PATHS.some((pattern) => pattern.test(address))

describe('service worker', () => {
  it.each([
    '/faq',
    '/privacy',
    '/terms',
    '/sms-terms',
    '/sms-terms?org=acme',
    '/sitemap.xml',
    '/p/abc',
    '/demo',
    '/demo/app',
    '/checkout',
    '/checkout?plan=monthly',
    '/api/leads/x',
  ])('leaves %s to the server', (address) => {
    expect(isLeft(address)).toBe(true)
  })

  it.each(['/app', '/app/leads?q=faq', '/login', '/lead?org=acme', '/termsheet', '/faq/old', '/demonstration'])(
    'serves the app for %s',
    (address) => {
      expect(isLeft(address)).toBe(false)
      expect(ROOT_PATH.test(address)).toBe(false)
    },
  )

  it.each(['/', '/?utm_source=mail'])('asks the server first for %s', (address) => {
    expect(ROOT_PATH.test(address)).toBe(true)
  })
})
