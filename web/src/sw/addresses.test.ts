// What the service worker keeps its hands off: else an old copy of the app would stand where the server's page belongs.
import { describe, expect, it } from 'vitest'
import { FRONT, NOT_THE_APP } from './addresses'

const isLeft = (address: string) => NOT_THE_APP.some((pattern) => pattern.test(address))

describe('the service worker', () => {
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
    'answers %s with the app',
    (address) => {
      expect(isLeft(address)).toBe(false)
      expect(FRONT.test(address)).toBe(false)
    },
  )

  it.each(['/', '/?utm_source=mail'])('asks the server first what %s is', (address) => {
    expect(FRONT.test(address)).toBe(true)
  })
})
