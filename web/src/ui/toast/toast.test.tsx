import { act, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { currentToasts, toast, TOAST_REMOVE_DELAY_MS } from './toast-store'
import { ToastViewport } from './toast-viewport'

const wait = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms))
const show = (run: () => void) => act(run)

describe('toast', () => {
  beforeEach(() => {
    vi.useFakeTimers()
    render(<ToastViewport />)
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it('closes after 5000 ms', async () => {
    show(() => toast.success('Logged out', 'You have been logged out successfully'))
    expect(screen.getByRole('status')).toHaveTextContent('Logged outYou have been logged out successfully')
    await wait(4999)
    expect(screen.getByText('Logged out')).toBeInTheDocument()
    await wait(1)
    expect(screen.queryByText('Logged out')).not.toBeInTheDocument()
  })

  it('is kept for 1,000,000 ms after closing', async () => {
    show(() => toast.success('Saved'))
    await wait(5000)
    expect(currentToasts()).toMatchObject([{ title: 'Saved', open: false }])
    await wait(TOAST_REMOVE_DELAY_MS - 1)
    expect(currentToasts()).toHaveLength(1)
    await wait(1)
    expect(currentToasts()).toHaveLength(0)
    expect(TOAST_REMOVE_DELAY_MS).toBe(1_000_000)
  })

  it('is replaced by the next, which has its own 5 seconds', async () => {
    show(() => toast.success('First'))
    await wait(3000)
    show(() => toast.error('Second'))
    expect(screen.queryByText('First')).not.toBeInTheDocument()
    await wait(4000)
    expect(screen.getByRole('alert')).toHaveTextContent('Second')
    await wait(1000)
    expect(screen.queryByText('Second')).not.toBeInTheDocument()
  })

  it('pauses while pointed at, and resumes', async () => {
    show(() => toast.success('Saved'))
    await wait(4000)
    fireEvent.pointerEnter(screen.getByRole('status'))
    await wait(60_000)
    expect(screen.getByText('Saved')).toBeInTheDocument()
    fireEvent.pointerLeave(screen.getByRole('status'))
    await wait(999)
    expect(screen.getByText('Saved')).toBeInTheDocument()
    await wait(1)
    expect(screen.queryByText('Saved')).not.toBeInTheDocument()
  })

  it('closes by its button', () => {
    show(() => toast.success('Saved'))
    fireEvent.click(screen.getByRole('button', { name: 'Close notification' }))
    expect(screen.queryByText('Saved')).not.toBeInTheDocument()
  })

  it.each([
    { by: 49, isOpen: true },
    { by: 50, isOpen: false },
    { by: -80, isOpen: true },
  ])('after a swipe of $by px, open: $isOpen', ({ by, isOpen }) => {
    show(() => toast.success('Saved'))
    const card = screen.getByRole('status')
    fireEvent.pointerDown(card, { clientX: 100 })
    fireEvent.pointerMove(card, { clientX: 100 + by })
    fireEvent.pointerUp(card, { clientX: 100 + by })
    expect(screen.queryByText('Saved') !== null).toBe(isOpen)
  })

  it('runs its action once and closes', () => {
    const onAction = vi.fn<() => void>()
    show(() => toast.show('Removed', { action: { label: 'Undo', onAction } }))
    fireEvent.click(screen.getByRole('button', { name: 'Undo' }))
    expect(onAction).toHaveBeenCalledOnce()
    expect(screen.queryByText('Removed')).not.toBeInTheDocument()
  })

  it('is over the bar at the top, bottom right beside a sidebar, at most 420 px wide', () => {
    show(() => toast.success('Saved'))
    const place = screen.getByRole('region', { name: 'Notifications (F8)' })
    expect(place).toHaveClass(
      'fixed',
      'top-(--sai-top)',
      'bottom-auto',
      'md:max-w-[420px]',
      'lg:top-auto',
      'lg:right-0',
      'lg:bottom-0',
    )
    expect(place).not.toHaveAttribute('style')
  })

  it('info variant: neutral look, polite announcement', () => {
    show(() => toast.show('Nothing was sent', { variant: 'info' }))
    const card = screen.getByRole('status')
    expect(card).toHaveTextContent('Nothing was sent')
    expect(card.querySelector('svg')).toHaveClass('text-info')
    expect(screen.queryByRole('alert')).not.toBeInTheDocument()
  })

  it('is focused by F8', () => {
    show(() => toast.success('Saved'))
    fireEvent.keyDown(document.body, { key: 'F8' })
    expect(screen.getByRole('list')).toHaveFocus()
  })
})
