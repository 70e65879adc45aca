import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { IconButton } from './button'
import { startTooltips, TOOLTIP_OPEN_DELAY_MS, TOOLTIP_SKIP_DELAY_MS } from './tooltip'

let stop: () => void
const wait = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms))
const button = (name: string) => screen.getByRole('button', { name })
const pointAt = (element: Element, pointerType = 'mouse') => fireEvent.pointerOver(element, { pointerType })
const pointElsewhere = () => pointAt(screen.getByText('Elsewhere'))
const words = () => screen.queryByRole('tooltip')?.textContent

beforeEach(() => {
  vi.useFakeTimers()
  stop = startTooltips()
  render(
    <>
      <IconButton label="Copy" icon="copy" />
      <IconButton label="Remove" icon="trash" />
      <p>Elsewhere</p>
      <dialog aria-label="Question" open>
        <IconButton label="Close" icon="close" />
      </dialog>
    </>,
  )
})
afterEach(() => {
  stop()
  vi.useRealTimers()
})

it('opens after 700 ms of hover, closes on leave', async () => {
  expect([TOOLTIP_OPEN_DELAY_MS, TOOLTIP_SKIP_DELAY_MS]).toEqual([700, 300])
  pointAt(button('Copy'))
  await wait(699)
  expect(words()).toBeUndefined()
  await wait(1)
  expect(words()).toBe('Copy')
  pointElsewhere()
  expect(words()).toBeUndefined()
})

it('stays closed on a short hover', async () => {
  pointAt(button('Copy'))
  await wait(400)
  pointElsewhere()
  await wait(1000)
  expect(words()).toBeUndefined()
})

it.each([
  { after: 299, isAtOnce: true },
  { after: 300, isAtOnce: false },
])('next button $after ms later: opens at once: $isAtOnce', async ({ after, isAtOnce }) => {
  pointAt(button('Copy'))
  await wait(700)
  pointElsewhere()
  await wait(after)
  pointAt(button('Remove'))
  expect(words()).toBe(isAtOnce ? 'Remove' : undefined)
  await wait(700)
  expect(words()).toBe('Remove')
})

it('switches at once between neighbours', async () => {
  pointAt(button('Copy'))
  await wait(700)
  pointAt(button('Remove'))
  expect(words()).toBe('Remove')
})

it('stays while hovered itself', async () => {
  pointAt(button('Copy'))
  await wait(700)
  pointAt(screen.getByText('Copy'))
  await wait(60_000)
  expect(words()).toBe('Copy')
  pointElsewhere()
  expect(words()).toBeUndefined()
})

it('opens at once by keyboard focus, only for visible focus', async () => {
  const copy = button('Copy')
  const isShown = vi.spyOn(copy, 'matches').mockReturnValue(true)
  act(() => copy.focus())
  expect(isShown).toHaveBeenCalledWith(':focus-visible')
  expect(words()).toBe('Copy')
  act(() => copy.blur())
  expect(words()).toBeUndefined()
  isShown.mockReturnValue(false)
  act(() => copy.focus())
  expect(words()).toBeUndefined()
})

it.each([
  ['Escape', () => fireEvent.keyDown(document.body, { key: 'Escape' })],
  ['a click', () => fireEvent.click(button('Copy'))],
])('closes by %s, and reopens after leaving', async (_how, sendAway) => {
  pointAt(button('Copy'))
  await wait(700)
  sendAway()
  expect(words()).toBeUndefined()
  pointAt(button('Copy').querySelector('svg') ?? document.body)
  await wait(1000)
  expect(words()).toBeUndefined()
  pointElsewhere()
  pointAt(button('Copy'))
  await wait(700)
  expect(words()).toBe('Copy')
})

it('stays closed on touch', async () => {
  pointAt(button('Copy'), 'touch')
  await wait(1000)
  expect(words()).toBeUndefined()
})

it('is inside the button’s dialog', async () => {
  pointAt(button('Close'))
  await wait(700)
  expect(screen.getByRole('dialog', { name: 'Question' })).toContainElement(screen.getByRole('tooltip'))
})

it('stays closed for a removed button', async () => {
  pointAt(button('Copy'))
  cleanup()
  await wait(700)
  expect(words()).toBeUndefined()
})

it('replaces the browser’s own title', () => {
  expect(button('Copy')).not.toHaveAttribute('title')
})
