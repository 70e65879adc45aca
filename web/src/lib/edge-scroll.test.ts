// Near an edge what lies under a dragged card scrolls, the faster the nearer; in the middle nothing moves.
import { afterEach, describe, expect, it, vi } from 'vitest'
import { pushAt, scrollAtEdges } from './edge-scroll'

describe('scrolling at the edges', () => {
  afterEach(() => vi.useRealTimers())

  it('goes towards the edge, and nowhere in the middle', () => {
    expect(pushAt(500, 0, 1000)).toBe(0)
    expect(pushAt(990, 0, 1000)).toBeGreaterThan(pushAt(950, 0, 1000))
    expect(pushAt(10, 0, 1000)).toBeLessThan(0)
    expect(pushAt(-100, 0, 1000)).toBe(pushAt(0, 0, 1000))
  })

  it('moves what scrolls under the pointer, says so, and ends when it is stopped', async () => {
    vi.useFakeTimers({ toFake: ['requestAnimationFrame', 'cancelAnimationFrame'] })
    const row = document.createElement('div')
    row.style.overflowX = 'auto'
    row.getBoundingClientRect = () => new DOMRect(0, 0, 800, 300)
    document.body.append(row)
    document.elementFromPoint = () => row
    const onScroll = vi.fn<() => void>()
    let at: { x: number; y: number } | undefined
    const stop = scrollAtEdges(null, () => at, onScroll)
    await vi.advanceTimersByTimeAsync(40)
    expect(onScroll).not.toHaveBeenCalled()
    at = { x: 790, y: 150 }
    await vi.advanceTimersByTimeAsync(40)
    expect(row.scrollLeft).toBeGreaterThan(0)
    expect(onScroll).toHaveBeenCalled()
    // Beyond its edge, over what does not scroll, it goes on: that is where it was taken from.
    stop()
    document.elementFromPoint = () => document.body
    row.scrollLeft = 0
    at = { x: 820, y: 150 }
    const again = scrollAtEdges(row, () => at, onScroll)
    await vi.advanceTimersByTimeAsync(40)
    expect(row.scrollLeft).toBeGreaterThan(0)
    again()
    const there = row.scrollLeft
    await vi.advanceTimersByTimeAsync(100)
    expect(row.scrollLeft).toBe(there)
    row.remove()
  })
})
