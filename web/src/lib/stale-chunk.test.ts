import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { isChunkLoadError } from './chunk-load-error'
import { reloadOnceForNewVersion } from './stale-chunk'

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
    value: Object.assign(worker, { controller: {}, getRegistration: async () => ({ waiting }) }),
  })
})

afterEach(() => {
  Reflect.deleteProperty(navigator, 'serviceWorker')
  vi.useRealTimers()
})

it('chunk load error: distinguished from other errors', () => {
  expect(isChunkLoadError(new TypeError('Failed to fetch dynamically imported module: http://x/assets/a.js'))).toBe(
    true,
  )
  expect(isChunkLoadError(new TypeError('x is undefined'))).toBe(false)
})

it('waiting version: activated before the reload', async () => {
  expect(reloadOnceForNewVersion(reload)).toBe(true)
  await vi.advanceTimersByTimeAsync(0)
  expect(waiting.postMessage).toHaveBeenCalledWith({ type: 'SKIP_WAITING' }, [])
  expect(reload).not.toHaveBeenCalled()
  worker.dispatchEvent(new Event('controllerchange'))
  await vi.advanceTimersByTimeAsync(0)
  expect(reload).toHaveBeenCalledOnce()
})

it('unresponsive worker: does not block the reload', async () => {
  reloadOnceForNewVersion(reload)
  await vi.advanceTimersByTimeAsync(5000)
  expect(reload).toHaveBeenCalledOnce()
})

it('failure after a reload: no second reload', async () => {
  expect(reloadOnceForNewVersion(reload)).toBe(true)
  await vi.advanceTimersByTimeAsync(20_000)
  expect(reloadOnceForNewVersion(reload)).toBe(false)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(reloadOnceForNewVersion(reload)).toBe(true)
})

it('page without a worker, server away: stays, and may reload later', async () => {
  Object.assign(worker, { controller: null })
  const answer = vi.spyOn(globalThis, 'fetch').mockRejectedValue(new TypeError('Failed to fetch'))
  reloadOnceForNewVersion(reload)
  await vi.advanceTimersByTimeAsync(5000)
  expect(reload).not.toHaveBeenCalled()
  answer.mockResolvedValue(new Response('ok'))
  expect(reloadOnceForNewVersion(reload)).toBe(true)
  await vi.advanceTimersByTimeAsync(5000)
  expect(reload).toHaveBeenCalledOnce()
  answer.mockRestore()
})
