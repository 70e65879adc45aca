import { screen, within } from '@testing-library/react'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { buildId, buildProblem, buildUser } from '@/testing/builders'
import { type FakeServer, buildProblemResponse, startFakeServer } from '@/testing/fake-server'
import { buildCrew } from '@/testing/job-builders'
import { renderSignedIn } from '@/testing/render-app'
import { CrewsCard } from './crews-card'

let server: FakeServer
const user = buildUser()
const dave = { id: buildId(), name: 'Dave Cole' }
const north = buildCrew({ name: 'North crew', members: [{ id: dave.id, name: dave.name, phoneShown: null }] })

const sentTo = async (method: string, path: string) => {
  const request = server.requests.findLast((one) => one.method === method && new URL(one.url).pathname === path)
  return request ? ((await request.json()) as unknown) : undefined
}

const renderCard = () => renderSignedIn(<CrewsCard />)

beforeAll(() => import('./crew-dialog'))

beforeEach(() => {
  server = startFakeServer()
  server.on('GET', '/api/auth/me', { body: user })
  server.on('GET', '/api/crews', { body: [north, buildCrew({ name: 'Old crew', isActive: false })] })
  server.on('GET', '/api/team', {
    body: [
      { id: user.id, name: user.name, role: 'owner', isActive: true },
      { ...dave, role: 'crew', isActive: true },
    ],
  })
})

describe('crews', () => {
  it('are listed with members and inactive marks', async () => {
    renderCard()
    expect(await screen.findByText('North crew')).toBeInTheDocument()
    expect(screen.getByText('Dave Cole')).toBeInTheDocument()
    const old = within(screen.getByText('Old crew').closest('li') ?? document.body)
    expect(old.getByText('No one yet')).toBeInTheDocument()
    expect(old.getByText('Inactive')).toBeInTheDocument()
  })

  it('none yet: the first is added with name and members', async () => {
    server.on('GET', '/api/crews', { body: [] })
    server.on('POST', '/api/crews', { status: 201, body: north })
    const app = renderCard()
    expect(await screen.findByText(/^No crews yet/)).toBeInTheDocument()
    await app.user.click(screen.getByRole('button', { name: 'Add crew' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Add a crew' }))
    await app.user.click(dialog.getByRole('button', { name: 'Add crew' }))
    expect(await dialog.findByText('Name is required')).toBeInTheDocument()
    await app.user.type(dialog.getByLabelText(/^Name/), 'North crew')
    await app.user.click(await dialog.findByRole('checkbox', { name: /Dave Cole/ }))
    await app.user.click(dialog.getByRole('button', { name: 'Add crew' }))
    expect(await screen.findByText('Crew added')).toBeInTheDocument()
    expect(await sentTo('POST', '/api/crews')).toEqual({ name: 'North crew', memberIds: [dave.id] })
  })

  it('are renamed and get other members', async () => {
    server.on('PATCH', `/api/crews/${north.id}`, { body: { ...north, name: 'South crew' } })
    const app = renderCard()
    await app.user.click(await screen.findByRole('button', { name: 'Edit North crew' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Edit crew' }))
    expect(await dialog.findByRole('checkbox', { name: /Dave Cole/ })).toBeChecked()
    await app.user.clear(dialog.getByLabelText(/^Name/))
    await app.user.type(dialog.getByLabelText(/^Name/), 'South crew')
    await app.user.click(dialog.getByRole('checkbox', { name: /Dave Cole/ }))
    await app.user.click(dialog.getByRole('button', { name: 'Save crew' }))
    expect(await screen.findByText('Crew saved')).toBeInTheDocument()
    expect(await sentTo('PATCH', `/api/crews/${north.id}`)).toEqual({
      name: 'South crew',
      memberIds: [],
      isActive: true,
    })
  })

  it('with upcoming work stay active, and the reason is shown', async () => {
    server.on(
      'PATCH',
      `/api/crews/${north.id}`,
      buildProblemResponse(buildProblem(409, 'conflict', { detail: 'Move its 3 coming jobs first.' })),
    )
    const app = renderCard()
    await app.user.click(await screen.findByRole('button', { name: 'Edit North crew' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Edit crew' }))
    await app.user.click(dialog.getByRole('switch', { name: /^Active/ }))
    await app.user.click(dialog.getByRole('button', { name: 'Save crew' }))
    expect(await screen.findByText('Move its 3 coming jobs first.')).toBeInTheDocument()
  })
})
