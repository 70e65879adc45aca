import { act, renderHook } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { useOnlineChunk } from './use-online-chunk'

const failure = () => new TypeError('Failed to fetch dynamically imported module: /assets/online/part.js')

beforeEach(() => {
  vi.useFakeTimers()
})

afterEach(() => {
  vi.useRealTimers()
})

it('a chunk that the server did not give is missing, and is shown once the server gives it', async () => {
  const load = vi.fn<() => Promise<string>>().mockRejectedValueOnce(failure()).mockResolvedValue('part')
  const { result } = renderHook(() => useOnlineChunk(load))
  expect(result.current).toEqual({ status: 'loading' })
  await act(() => vi.advanceTimersByTimeAsync(0))
  expect(result.current).toEqual({ status: 'missing' })
  await act(() => vi.advanceTimersByTimeAsync(5000))
  expect(result.current).toEqual({ status: 'loaded', module: 'part' })
  await act(() => vi.advanceTimersByTimeAsync(60_000))
  expect(load).toHaveBeenCalledTimes(2)
})

it('no attempt follows after the screen is left', async () => {
  const load = vi.fn<() => Promise<string>>().mockRejectedValue(failure())
  const { unmount } = renderHook(() => useOnlineChunk(load))
  await act(() => vi.advanceTimersByTimeAsync(0))
  unmount()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(load).toHaveBeenCalledTimes(1)
})

it('a loaded chunk stays when the connection breaks', async () => {
  const load = vi.fn<() => Promise<string>>().mockResolvedValue('part')
  const { result } = renderHook(() => useOnlineChunk(load))
  await act(() => vi.advanceTimersByTimeAsync(0))
  act(() => {
    vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false)
    globalThis.dispatchEvent(new Event('offline'))
  })
  expect(result.current).toEqual({ status: 'loaded', module: 'part' })
  vi.restoreAllMocks()
})
