import { afterEach, describe, expect, it, vi } from 'vitest'
import { getEdgeSpeed, startEdgeScroll } from './edge-scroll'

describe('edge scroll', () => {
  afterEach(() => vi.useRealTimers())

  it('scrolls towards the edge, and not in the middle', () => {
    expect(getEdgeSpeed(500, 0, 1000)).toBe(0)
    expect(getEdgeSpeed(990, 0, 1000)).toBeGreaterThan(getEdgeSpeed(950, 0, 1000))
    expect(getEdgeSpeed(10, 0, 1000)).toBeLessThan(0)
    expect(getEdgeSpeed(-100, 0, 1000)).toBe(getEdgeSpeed(0, 0, 1000))
  })

  it('scrolls the container under the pointer, reports it, and stops', async () => {
    vi.useFakeTimers({ toFake: ['requestAnimationFrame', 'cancelAnimationFrame'] })
    const row = document.createElement('div')
    row.style.overflowX = 'auto'
    row.getBoundingClientRect = () => new DOMRect(0, 0, 800, 300)
    document.body.append(row)
    document.elementFromPoint = () => row
    const onScroll = vi.fn<() => void>()
    let at: { x: number; y: number } | undefined
    const stop = startEdgeScroll(null, () => at, onScroll)
    await vi.advanceTimersByTimeAsync(40)
    expect(onScroll).not.toHaveBeenCalled()
    at = { x: 790, y: 150 }
    await vi.advanceTimersByTimeAsync(40)
    expect(row.scrollLeft).toBeGreaterThan(0)
    expect(onScroll).toHaveBeenCalled()
    // Past the container's edge scrolling continues.
    stop()
    document.elementFromPoint = () => document.body
    row.scrollLeft = 0
    at = { x: 820, y: 150 }
    const again = startEdgeScroll(row, () => at, onScroll)
    await vi.advanceTimersByTimeAsync(40)
    expect(row.scrollLeft).toBeGreaterThan(0)
    again()
    const there = row.scrollLeft
    await vi.advanceTimersByTimeAsync(100)
    expect(row.scrollLeft).toBe(there)
    row.remove()
  })
})
