import { act, renderHook } from '@testing-library/react'
import type { ReactNode } from 'react'
import { MemoryRouter, useSearchParams } from 'react-router-dom'
import { expect, it } from 'vitest'
import { usePageAction } from './use-page-action'
import { usePageTab } from './use-page-tab'

const NAMES = ['talk', 'jobs', 'money'] as const

function useTab() {
  const [action, ask] = usePageAction()
  const [search] = useSearchParams()
  return { ...usePageTab(NAMES, 'talk', action === 'schedule' ? 'jobs' : undefined), ask, search: search.toString() }
}

const render = (query: string) =>
  renderHook(useTab, {
    wrapper: ({ children }: { children: ReactNode }) => (
      <MemoryRouter initialEntries={[`/page${query}`]}>{children}</MemoryRouter>
    ),
  }).result

it.each([
  ['', 'talk'],
  ['?tab=money', 'money'],
  ['?tab=nothing', 'talk'],
  ['?tab=money&do=schedule', 'jobs'],
  ['?do=steal', 'talk'],
])('page tab: %s opens %s', (query, tab) => expect(render(query).current.current).toBe(tab))

it('page tab: chosen is in the URL, and opened ones stay', () => {
  const page = render('?q=1')
  act(() => page.current.open('money'))
  expect(page.current).toMatchObject({ current: 'money', search: 'q=1&tab=money' })
  expect([...page.current.opened]).toEqual(['talk', 'money'])
})

it('page tab: action done leaves its tab open; another tab drops the action', () => {
  const page = render('?tab=money&do=schedule')
  act(() => page.current.ask(undefined))
  expect(page.current).toMatchObject({ current: 'jobs', search: 'tab=money' })
  act(() => page.current.open('money'))
  expect(page.current.current).toBe('money')
  act(() => page.current.ask('schedule'))
  expect(page.current.current).toBe('jobs')
  act(() => page.current.open('talk'))
  expect(page.current).toMatchObject({ current: 'talk', search: 'tab=talk' })
})
