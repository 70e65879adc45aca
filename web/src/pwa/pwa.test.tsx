import { act, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { useReportDirty } from '@/lib/dirty-forms'
import { startInstallWatch } from './install'
import { InstallCard } from './install-card'
import { UpdateBanner } from './update-banner'
import { resetUpdate, offerUpdate } from './update-state'

startInstallWatch()

function browserOffers() {
  const prompt = vi.fn<() => Promise<void>>(async () => undefined)
  act(() => {
    globalThis.dispatchEvent(Object.assign(new Event('beforeinstallprompt', { cancelable: true }), { prompt }))
  })
  return prompt
}

function visits(count: number) {
  localStorage.setItem('toolbox.visits', String(count))
}

afterEach(() => {
  act(() => {
    globalThis.dispatchEvent(new Event('appinstalled'))
  })
})

describe('install card', () => {
  const card = () => screen.queryByRole('region', { name: 'Install Toolbox' })

  it('is hidden at the first visit', () => {
    visits(1)
    browserOffers()
    render(<InstallCard />)
    expect(card()).not.toBeInTheDocument()
  })

  it('prompts once, from the second visit', async () => {
    visits(2)
    render(<InstallCard />)
    expect(card()).not.toBeInTheDocument()
    const prompt = browserOffers()
    fireEvent.click(screen.getByRole('button', { name: 'Install app' }))
    expect(prompt).toHaveBeenCalledOnce()
    expect(card()).not.toBeInTheDocument()
  })

  it('shows three steps on an iPhone', () => {
    visits(2)
    vi.spyOn(navigator, 'userAgent', 'get').mockReturnValue('Mozilla/5.0 (iPhone; CPU iPhone OS 27_0 like Mac OS X)')
    render(<InstallCard />)
    expect(screen.getAllByRole('listitem').map((step) => step.textContent)).toEqual([
      'Step 1: Tap Share in the browser’s bar',
      'Step 2: Choose Add to Home Screen',
      'Step 3: Tap Add, then open Toolbox from there',
    ])
  })

  it('stays dismissed', () => {
    visits(2)
    browserOffers()
    const view = render(<InstallCard />)
    fireEvent.click(screen.getByRole('button', { name: 'Do not show this again' }))
    view.unmount()
    render(<InstallCard />)
    expect(card()).not.toBeInTheDocument()
  })

  it('counts a visit once over reloads', () => {
    startInstallWatch()
    startInstallWatch()
    expect(localStorage.getItem('toolbox.visits')).toBe('1')
  })
})

describe('update banner', () => {
  beforeEach(() => act(resetUpdate))

  function Typing({ isDirty }: { isDirty: boolean }) {
    useReportDirty(isDirty)
    return null
  }

  it('activates a waiting version on demand', () => {
    const apply = vi.fn<() => void>()
    render(<UpdateBanner />)
    expect(screen.queryByRole('status')).not.toBeInTheDocument()
    act(() => offerUpdate(apply))
    fireEvent.click(screen.getByRole('button', { name: 'Update now' }))
    expect(apply).toHaveBeenCalledOnce()
  })

  it('waits while a form is dirty', () => {
    act(() => offerUpdate(() => undefined))
    const view = render(
      <>
        <UpdateBanner />
        <Typing isDirty />
      </>,
    )
    expect(screen.getByRole('status')).toHaveTextContent('It waits until')
    expect(screen.queryByRole('button')).not.toBeInTheDocument()
    view.rerender(
      <>
        <UpdateBanner />
        <Typing isDirty={false} />
      </>,
    )
    expect(screen.getByRole('button', { name: 'Update now' })).toBeInTheDocument()
  })
})
