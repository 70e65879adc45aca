// A file that a deploy took away: the new version is let in and loaded once, never over and over.
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { hasChunkFailed, reloadOnceForNewVersion } from './stale-chunk'

const reload = vi.fn<() => void>()
const worker = new EventTarget()
const waiting = { postMessage: vi.fn<(message: unknown, transfer: Transferable[]) => void>() }

beforeEach(() => {
  vi.useFakeTimers()
  vi.setSystemTime('2026-11-21T15:00:00Z')
  sessionStorage.clear()
  reload.mockReset()
  waiting.postMessage.mockReset()
  Object.defineProperty(navigator, 'serviceWorker', {
    configurable: true,
    value: Object.assign(worker, { getRegistration: async () => ({ waiting }) }),
  })
})

afterEach(() => {
  Reflect.deleteProperty(navigator, 'serviceWorker')
  vi.useRealTimers()
})

it('a script that cannot be fetched is told from a fault of the screen', () => {
  expect(hasChunkFailed(new TypeError('Failed to fetch dynamically imported module: http://x/assets/a.js'))).toBe(true)
  expect(hasChunkFailed(new TypeError('x is undefined'))).toBe(false)
})

it('the version that waits takes over before the page is loaded anew', async () => {
  expect(reloadOnceForNewVersion(reload)).toBe(true)
  await vi.advanceTimersByTimeAsync(0)
  expect(waiting.postMessage).toHaveBeenCalledWith({ type: 'SKIP_WAITING' }, [])
  expect(reload).not.toHaveBeenCalled()
  worker.dispatchEvent(new Event('controllerchange'))
  await vi.advanceTimersByTimeAsync(0)
  expect(reload).toHaveBeenCalledOnce()
})

it('a worker that does not come in holds nothing up for ever', async () => {
  reloadOnceForNewVersion(reload)
  await vi.advanceTimersByTimeAsync(5000)
  expect(reload).toHaveBeenCalledOnce()
})

it('what still lacks after a reload is not asked for by another one, whatever else has loaded since', async () => {
  expect(reloadOnceForNewVersion(reload)).toBe(true)
  await vi.advanceTimersByTimeAsync(20_000)
  expect(reloadOnceForNewVersion(reload)).toBe(false)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(reloadOnceForNewVersion(reload)).toBe(true)
})
