// The number on the app's icon: set, taken away, and no trouble where there is none.
import { afterEach, expect, it, vi } from 'vitest'
import { markIcon } from './app-badge'

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

it('shows how many there are', async () => {
  const { setAppBadge, clearAppBadge } = giveBadges()
  await markIcon(3)
  expect(setAppBadge.mock.calls).toEqual([[3]])
  expect(clearAppBadge).not.toHaveBeenCalled()
})

it('is gone when there is nothing to count', async () => {
  const { setAppBadge, clearAppBadge } = giveBadges()
  await markIcon(0)
  expect(clearAppBadge).toHaveBeenCalledOnce()
  expect(setAppBadge).not.toHaveBeenCalled()
})

it('is done without where the browser has none, or refuses', async () => {
  await expect(markIcon(3)).resolves.toBeUndefined()
  giveBadges(() => Promise.reject(new DOMException('not installed', 'NotAllowedError')))
  await expect(markIcon(3)).resolves.toBeUndefined()
})

it('hides no other fault', async () => {
  giveBadges(() => Promise.reject(new TypeError('a fault of ours')))
  await expect(markIcon(3)).rejects.toThrow('a fault of ours')
})
