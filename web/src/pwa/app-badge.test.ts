import { afterEach, expect, it, vi } from 'vitest'
import { setBadgeCount } from './app-badge'

function giveBadges(set: (count?: number) => Promise<void> = async () => undefined) {
  const badges = {
    setAppBadge: vi.fn<(count?: number) => Promise<void>>(set),
    clearAppBadge: vi.fn<() => Promise<void>>(async () => undefined),
  }
  Object.assign(navigator, badges)
  return badges
}

afterEach(() => {
  Reflect.deleteProperty(navigator, 'setAppBadge')
  Reflect.deleteProperty(navigator, 'clearAppBadge')
})

it('badge: shows the count', async () => {
  const { setAppBadge, clearAppBadge } = giveBadges()
  await setBadgeCount(3)
  expect(setAppBadge.mock.calls).toEqual([[3]])
  expect(clearAppBadge).not.toHaveBeenCalled()
})

it('badge: cleared at zero', async () => {
  const { setAppBadge, clearAppBadge } = giveBadges()
  await setBadgeCount(0)
  expect(clearAppBadge).toHaveBeenCalledOnce()
  expect(setAppBadge).not.toHaveBeenCalled()
})

it('badge: unsupported or refused is ignored', async () => {
  await expect(setBadgeCount(3)).resolves.toBeUndefined()
  giveBadges(() => Promise.reject(new DOMException('not installed', 'NotAllowedError')))
  await expect(setBadgeCount(3)).resolves.toBeUndefined()
})

it('badge: other errors surface', async () => {
  giveBadges(() => Promise.reject(new TypeError('a fault of ours')))
  await expect(setBadgeCount(3)).rejects.toThrow('a fault of ours')
})
