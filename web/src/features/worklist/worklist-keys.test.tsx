import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Schema } from '@/api/client'
import { buildUser } from '@/testing/builders'
import { type FakeServer, startFakeServer } from '@/testing/fake-server'
import { renderSignedIn } from '@/testing/render-app'
import { buildWorkItem } from '@/testing/work-builders'
import { Worklist } from './components/worklist'
import { SWIPE_DISTANCE_PX } from './lib/use-swipe'
import './actions/assign-sheet'
import './actions/snooze-sheet'

const [ana, ben, cleo] = ['Ana Arroyo', 'Ben Builder', 'Cleo Cole'].map((customerName) =>
  buildWorkItem({ customerName }),
) as [Schema['WorkItem'], Schema['WorkItem'], Schema['WorkItem']]
let server: FakeServer
let waiting: Schema['WorkItem'][] = []

const posted = () =>
  server.requests.filter(({ method }) => method === 'POST').map(({ url }) => decodeURIComponent(new URL(url).pathname))
const answer = (name: string) => screen.getByRole('link', { name: `Answer: ${name}` })
const row = (name: string) => answer(name).closest('li') ?? document.body

beforeEach(() => {
  waiting = [ana, ben, cleo]
  server = startFakeServer()
  server.on('GET', '/api/auth/me', { body: buildUser() })
  server.on('GET', '/api/alerts', { body: [] })
  server.on('GET', '/api/schedule', { body: { jobs: [] } })
  server.on('GET', '/api/worklist', () => ({ body: waiting }))
  server.on('POST', /^\/api\/worklist\//, (_request, { pathname }) => {
    const [, key] = /worklist\/(.+)\/(?:done|snooze)$/.exec(decodeURIComponent(pathname)) ?? []
    waiting = waiting.filter((item) => item.key !== key)
    return { status: 204 }
  })
})

async function open() {
  const app = renderSignedIn(<Worklist />)
  await screen.findByText('Ana Arroyo')
  answer('Ana Arroyo').focus()
  return app
}

describe('keys of the worklist', () => {
  it('move between the actions, so that Enter runs one', async () => {
    const app = await open()
    await app.user.keyboard('j')
    expect(answer('Ben Builder')).toHaveFocus()
    await app.user.keyboard('{ArrowDown}')
    expect(answer('Cleo Cole')).toHaveFocus()
    await app.user.keyboard('j')
    expect(answer('Cleo Cole')).toHaveFocus()
    await app.user.keyboard('k{ArrowUp}')
    expect(answer('Ana Arroyo')).toHaveFocus()
  })

  it('mark the row with the focus, which goes on to the next row', async () => {
    const app = await open()
    await app.user.keyboard('je')
    await waitFor(() => expect(posted()).toEqual([`/api/worklist/${ben.key}/done`]))
    expect(answer('Cleo Cole')).toHaveFocus()
    await screen.findByText('Marked as done')
    await app.user.keyboard('{Control>}z{/Control}')
    await waitFor(() => expect(posted()[1]).toBe(`/api/worklist/${ben.key}/undo`))
    await app.user.keyboard('z')
    expect(posted()).toHaveLength(2)
  })

  it('open snooze and assign', async () => {
    const app = await open()
    await app.user.keyboard('s')
    const dialog = await screen.findByRole('dialog', { name: 'Snooze Ana Arroyo' })
    await app.user.click(within(dialog).getByRole('button', { name: 'Close' }))
    answer('Ana Arroyo').focus()
    await app.user.keyboard('a')
    expect(await screen.findByRole('dialog', { name: 'Assign Ana Arroyo' })).toBeInTheDocument()
  })

  it('do nothing with a modifier, nor outside of the list', async () => {
    const app = await open()
    await app.user.keyboard('{Control>}e{/Control}{Alt>}s{/Alt}')
    screen.getByRole('tab', { name: 'Next' }).focus()
    await app.user.keyboard('e')
    expect(posted()).toEqual([])
    expect(screen.queryByRole('dialog')).not.toBeInTheDocument()
  })
})

describe('swipe of a row', () => {
  const swipe = (name: string, by: number, pointerType = 'touch', down = 0) => {
    const element = row(name)
    fireEvent.pointerDown(element, { clientX: 200, clientY: 100, pointerType })
    fireEvent.pointerMove(element, { clientX: 200 + by / 2, clientY: 100 + down, pointerType })
    fireEvent.pointerMove(element, { clientX: 200 + by, clientY: 100 + down, pointerType })
    fireEvent.pointerUp(element, { clientX: 200 + by, clientY: 100 + down, pointerType })
  }

  it('right: done', async () => {
    await open()
    swipe('Ana Arroyo', SWIPE_DISTANCE_PX)
    await waitFor(() => expect(posted()).toEqual([`/api/worklist/${ana.key}/done`]))
    expect(screen.queryByText('Ana Arroyo')).not.toBeInTheDocument()
  })

  it('left: snooze', async () => {
    await open()
    swipe('Ben Builder', -SWIPE_DISTANCE_PX)
    expect(await screen.findByRole('dialog', { name: 'Snooze Ben Builder' })).toBeInTheDocument()
  })

  it.each([
    ['too short', SWIPE_DISTANCE_PX - 1, 'touch', 0],
    ['by a mouse', SWIPE_DISTANCE_PX, 'mouse', 0],
    ['a scroll', SWIPE_DISTANCE_PX, 'touch', 60],
  ] as const)('%s: nothing', async (_why, by, pointerType, down) => {
    await open()
    swipe('Ana Arroyo', by, pointerType, down)
    expect(posted()).toEqual([])
    expect(screen.queryByRole('dialog')).not.toBeInTheDocument()
  })
})
