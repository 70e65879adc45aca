import { screen, within } from '@testing-library/react'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { buildProblem, buildUser } from '@/testing/builders'
import { type FakeServer, buildProblemResponse, startFakeServer } from '@/testing/fake-server'
import { buildPriceItem } from '@/testing/paper-builders'
import { renderSignedIn } from '@/testing/render-app'
import { PriceBookCard } from './price-book-card'

const heater = buildPriceItem({
  name: 'Water heater',
  code: 'WH-50',
  price: 1450,
  unit: 'set',
  cost: 800,
  taxRate: 8.25,
})
const old = buildPriceItem({ name: 'Oil burner', isActive: false })
let server: FakeServer

const sent = async (method: string, path: string) => {
  const request = server.requests.findLast((one) => one.method === method && new URL(one.url).pathname === path)
  return request ? ((await request.json()) as unknown) : undefined
}

const open = () => renderSignedIn(<PriceBookCard />)

beforeAll(() => Promise.all([import('./price-dialog'), import('./import-dialog')]))

beforeEach(() => {
  server = startFakeServer()
  server.on('GET', '/api/auth/me', { body: buildUser() })
  server.on('GET', '/api/price-items', (_request, url) => {
    const found = [heater, old].filter(
      ({ name, isActive }) =>
        (url.searchParams.get('active') === null || isActive) &&
        name.toLowerCase().includes(url.searchParams.get('q') ?? ''),
    )
    return { body: found, headers: { 'X-Total-Count': String(found.length) } }
  })
})

describe('price book', () => {
  it('shows active items, and archived ones on demand', async () => {
    const { user } = open()
    expect(await screen.findByText('Water heater')).toBeInTheDocument()
    expect(screen.getByText('WH-50')).toBeInTheDocument()
    expect(screen.queryByText('Oil burner')).not.toBeInTheDocument()
    await user.click(screen.getByRole('checkbox', { name: 'Also what was set aside' }))
    expect(await screen.findByText('Oil burner')).toBeInTheDocument()
    server.on('PATCH', `/api/price-items/${old.id}`, { body: { ...old, isActive: true } })
    await user.click(screen.getByRole('button', { name: 'Offer Oil burner again' }))
    expect(await screen.findByText('Item offered again')).toBeInTheDocument()
    expect(await sent('PATCH', `/api/price-items/${old.id}`)).toEqual({ isActive: true })
  })

  it('searches on the server', async () => {
    const { user } = open()
    await screen.findByText('Water heater')
    await user.type(screen.getByRole('searchbox'), 'tap')
    expect(await screen.findByText('Nothing in the price book matches that.')).toBeInTheDocument()
  })

  it('adds an item, and names missing fields', async () => {
    server.on('POST', '/api/price-items', { status: 201, body: buildPriceItem() })
    const { user } = open()
    await user.click(await screen.findByRole('button', { name: 'Add item' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Add an item' }))
    await user.type(dialog.getByLabelText(/^Tax in %/), '101')
    await user.click(dialog.getByRole('button', { name: 'Add item' }))
    expect(await dialog.findByText('Say what it is')).toBeInTheDocument()
    expect(dialog.getByText('Please enter a price')).toBeInTheDocument()
    expect(dialog.getByText('Enter a percentage, like 8.25, or leave it empty')).toBeInTheDocument()
    await user.clear(dialog.getByLabelText(/^Tax in %/))
    await user.type(dialog.getByLabelText(/^Name/), 'Drain cleaning')
    await user.type(dialog.getByLabelText(/^Price/), '$1,250.50')
    await user.click(dialog.getByRole('button', { name: 'Add item' }))
    expect(await screen.findByText('Item added')).toBeInTheDocument()
    expect(await sent('POST', '/api/price-items')).toEqual({
      name: 'Drain cleaning',
      code: null,
      unit: 'each',
      price: 1250.5,
      cost: null,
      taxRate: null,
      description: null,
    })
  })

  it('edits an item, with server errors at their fields', async () => {
    server.on(
      'PATCH',
      `/api/price-items/${heater.id}`,
      buildProblemResponse(buildProblem(422, 'validation_failed', { errors: { code: 'Another item has this code' } })),
    )
    const { user } = open()
    await user.click(await screen.findByRole('button', { name: 'Edit Water heater' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Edit item' }))
    expect(dialog.getByLabelText(/^Price/)).toHaveValue('1450.00')
    expect(dialog.getByLabelText(/^Tax in %/)).toHaveValue('8.25')
    await user.click(dialog.getByRole('button', { name: 'Save item' }))
    expect(await dialog.findByText('Another item has this code')).toBeInTheDocument()
  })

  it('archives an item, with Undo', async () => {
    server.on('DELETE', `/api/price-items/${heater.id}`, { status: 204 })
    server.on('PATCH', `/api/price-items/${heater.id}`, { body: heater })
    const { user } = open()
    await user.click(await screen.findByRole('button', { name: 'Set Water heater aside' }))
    expect(await screen.findByText('Item set aside')).toBeInTheDocument()
    await user.click(screen.getByRole('button', { name: 'Undo' }))
    expect(await screen.findByText('Item offered again')).toBeInTheDocument()
  })
})

describe('price list import', () => {
  const found = {
    added: 2,
    changed: 1,
    same: 4,
    failed: 1,
    errors: [{ row: 5, column: 'Price', message: 'Please enter a price up to $10,000,000' }],
    rows: [{ row: 2, outcome: 'added', code: null, name: 'Sump pump', unit: 'each', price: 399 }],
    ignored: ['Taxable'],
  }
  const list = new File(['Name,Price\nSump pump,399'], 'prices.csv', { type: 'text/csv' })

  it('is previewed row by row, and imported on demand', async () => {
    const asked: (string | null)[] = []
    server.on('POST', '/api/price-items/import', async (request, url) => {
      asked.push(url.searchParams.get('dryRun'))
      expect(request.headers.get('Content-Type')).toBe('text/csv')
      expect(await request.text()).toBe('Name,Price\nSump pump,399')
      return { body: found }
    })
    const { user } = open()
    await user.click(await screen.findByRole('button', { name: 'Import CSV' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Import a price list' }))
    await user.upload(dialog.getByLabelText('Price list file'), list)
    expect(await dialog.findByText('2 new')).toBeInTheDocument()
    expect(dialog.getByText('Row 5, Price: Please enter a price up to $10,000,000')).toBeInTheDocument()
    expect(dialog.getByText('Sump pump')).toBeInTheDocument()
    expect(dialog.getByText('Not read: Taxable')).toBeInTheDocument()
    await user.click(dialog.getByRole('button', { name: 'Import 3 items' }))
    expect(await screen.findByText('2 added, 1 changed.')).toBeInTheDocument()
    expect(asked).toEqual(['true', 'false'])
  })

  it('invalid file: says why', async () => {
    server.on(
      'POST',
      '/api/price-items/import',
      buildProblemResponse(buildProblem(422, 'validation_failed', { errors: { file: 'This file is empty' } })),
    )
    const { user } = open()
    await user.click(await screen.findByRole('button', { name: 'Import CSV' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Import a price list' }))
    await user.upload(dialog.getByLabelText('Price list file'), list)
    expect(await dialog.findByText('This file is empty')).toBeInTheDocument()
    expect(dialog.queryByRole('button', { name: /^Import \d/ })).not.toBeInTheDocument()
  })
})
