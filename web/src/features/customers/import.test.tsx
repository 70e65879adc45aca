import { screen, within } from '@testing-library/react'
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { buildId, buildUser } from '@/testing/builders'
import { type FakeServer, startFakeServer } from '@/testing/fake-server'
import { loadShell } from '@/testing/load-screens'
import { renderApp } from '@/testing/render-app'

const list = new File(['Name,Phone\nAnn Lee,5125550142'], 'clients.csv', { type: 'text/csv' })
const id = buildId()
const found = {
  id: null,
  added: 1,
  leads: 1,
  updated: 1,
  same: 2,
  failed: 1,
  errors: [{ row: 5, column: 'Cell', message: 'Please enter a phone number with its area code' }],
  rows: [
    {
      row: 2,
      outcome: 'added',
      name: 'Ann Lee',
      phoneShown: '(512) 555-0142',
      email: null,
      address: '12 Oak St, Austin',
      zip: '78701',
      service: 'Leak',
    },
  ],
  ignored: ['Colour'],
}
let server: FakeServer

beforeAll(() => Promise.all([loadShell(), import('./customers.route'), import('./actions/import-dialog')]))

beforeEach(() => {
  server = startFakeServer()
  server.on('GET', '/api/auth/me', { body: buildUser() })
  server.on('GET', '/api/inbox', { body: [] })
  server.on('GET', '/api/customers', { body: [], headers: { 'X-Total-Count': '0' } })
})

async function open() {
  const { user } = renderApp('/app/customers')
  await screen.findByRole('heading', { level: 1, name: 'Customers' })
  return user
}

describe('customer import', () => {
  it('is previewed, imported on demand, and undone', async () => {
    const asked: (string | null)[] = []
    server.on('POST', '/api/customers/import', (_request, url) => {
      const dryRun = url.searchParams.get('dryRun')
      asked.push(dryRun)
      return { body: dryRun === 'true' ? found : { ...found, id } }
    })
    server.on('POST', `/api/customers/imports/${id}/undo`, { body: { removed: 1, kept: 0 } })
    const user = await open()
    await user.click(screen.getByRole('button', { name: 'Import CSV' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Import customers' }))
    await user.upload(dialog.getByLabelText('Customers file'), list)
    expect(await dialog.findByText('1 with a request')).toBeInTheDocument()
    expect(dialog.getByText('1 confirmed')).toBeInTheDocument()
    expect(dialog.getByText('Row 5, Cell: Please enter a phone number with its area code')).toBeInTheDocument()
    expect(dialog.getByText('Not read: Colour')).toBeInTheDocument()
    // There is nothing in the rows to focus: arrow keys reach their end by the pane.
    expect(dialog.getByRole('region', { name: 'The first rows as they were read' })).toHaveAttribute('tabindex', '0')
    let saved: Blob | undefined
    vi.stubGlobal(
      'URL',
      Object.assign(URL, {
        createObjectURL: (file: Blob) => {
          saved = file
          return 'blob:x'
        },
        revokeObjectURL: () => undefined,
      }),
    )
    await user.click(dialog.getByRole('button', { name: 'Download them as a file' }))
    expect(await saved?.text()).toContain('5,Cell,Please enter a phone number with its area code')
    await user.click(dialog.getByRole('button', { name: 'Import 2 customers' }))
    expect(await screen.findByText('1 added, 1 with a request. 1 confirmed.')).toBeInTheDocument()
    expect(asked).toEqual(['true', 'false'])
    await user.click(screen.getByRole('button', { name: 'Undo' }))
    expect(await screen.findByText('1 removed.')).toBeInTheDocument()
  })

  it('today’s imports can be undone, older ones cannot', async () => {
    const today = { id, at: new Date().toISOString(), customers: 12, leads: 0, undoneAt: null }
    server.on('GET', '/api/customers/imports', {
      body: [today, { ...today, id: buildId(), at: '2020-01-01T00:00:00Z', customers: 7 }],
    })
    server.on('POST', `/api/customers/imports/${id}/undo`, { body: { removed: 10, kept: 2 } })
    const user = await open()
    const lists = within(await screen.findByRole('list', { name: 'Imports that can be undone' }))
    expect(lists.getAllByRole('listitem')).toHaveLength(1)
    await user.click(lists.getByRole('button', { name: 'Undo import' }))
    expect(await screen.findByText('10 removed. 2 stay, because something has come of them.')).toBeInTheDocument()
  })
})

describe('install restored from a backup', () => {
  it('shows a banner that sending is paused', async () => {
    server.on('GET', '/api/outbox', {
      body: { frozen: { since: '2026-11-22T13:00:00Z', why: 'restored', copiedAt: '2026-11-22T03:00:00Z' } },
    })
    await open()
    expect(await screen.findByRole('status', { name: 'Nothing is sent' })).toHaveTextContent(
      'This is a copy, put back as of',
    )
  })
})
