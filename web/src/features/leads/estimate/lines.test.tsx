import { screen, within } from '@testing-library/react'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { buildProblem } from '@/testing/builders'
import { type EstimateTest, LEAD_ID, openEstimateLines, setupEstimateTest } from '@/testing/estimate-setup'
import { buildProblemResponse } from '@/testing/fake-server'
import { loadLeadScreens } from '@/testing/load-screens'
import { pickQuickAction } from '@/testing/open-lead'
import { buildPriceItem } from '@/testing/paper-builders'

let stage: EstimateTest

beforeAll(() =>
  Promise.all([
    loadLeadScreens(),
    import('./estimate-dialog'),
    import('./estimate-lines'),
    import('@/features/documents/price-picker'),
  ]),
)

beforeEach(() => {
  stage = setupEstimateTest()
})

describe('line items', () => {
  const openLines = () => {
    stage.answerLead()
    return openEstimateLines()
  }
  const total = (dialog: ReturnType<typeof within>) => dialog.getByText('Total').parentElement

  it('are totalled while typing, and sent as shown', async () => {
    stage.answerPdf({ 'X-Sent': 'email,sms' })
    const { app, dialog, lines, fill, generate } = await openLines()
    await fill(0, /^What/, 'Shingles')
    await fill(0, /^Quantity/, '1.5')
    await fill(0, /^Price each/, '99.95')
    // 149.925 → 149.93, and 8.25 % of it 12.369 → 12.37.
    expect(total(dialog)).toHaveTextContent('Total$162.30')
    await app.user.click(lines.getByRole('button', { name: 'Add line' }))
    await fill(1, /^What/, 'Gutter guard')
    await fill(1, /^Price each/, '200')
    const optional = lines.getAllByRole('checkbox', { name: /^Optional/ })[1]
    if (optional) await app.user.click(optional)
    expect(total(dialog)).toHaveTextContent('Total$162.30')
    await app.user.selectOptions(lines.getByLabelText('Discount'), 'Percent')
    await fill(0, /^Percent off/, '10')
    // 14.993 → 14.99 off; 8.25 % of 134.94 is 11.13.
    expect(total(dialog)).toHaveTextContent('Total$146.07')
    await generate()
    expect(await screen.findByText('Estimate Generated')).toBeInTheDocument()
    const tax = { taxName: 'Sales tax', taxRate: 8.25 }
    expect(await stage.made()[0]?.json()).toEqual({
      lines: [
        { name: 'Shingles', quantity: 1.5, unitPrice: 99.95, optional: false, ...tax },
        { name: 'Gutter guard', quantity: 1, unitPrice: 200, optional: true, ...tax },
      ],
      discount: { percent: 10 },
      send: { email: true, text: true },
    })
  })

  it('show client and server errors at their fields', async () => {
    const { lines, fill, generate } = await openLines()
    await generate()
    expect(await lines.findByText('Say what it is')).toBeInTheDocument()
    expect(lines.getByText('Please enter a price')).toBeInTheDocument()
    expect(stage.made()).toEqual([])
    stage.server.on(
      'POST',
      `/api/leads/${LEAD_ID}/estimate`,
      buildProblemResponse(
        buildProblem(422, 'validation_failed', { errors: { 'lines[0].unitPrice': 'That is too much' } }),
      ),
    )
    await fill(0, /^What/, 'Gold')
    await fill(0, /^Price each/, '99999999')
    await generate()
    expect(await lines.findByText('That is too much')).toBeInTheDocument()
  })

  it('are added from the price book, one tap each', async () => {
    const item = buildPriceItem({ name: 'Water heater', price: 1450, unit: 'set', taxRate: 0 })
    stage.server.on('GET', '/api/price-items', (_request, url) => ({
      body: url.searchParams.get('active') === 'true' ? [item] : [],
    }))
    const { app, dialog, lines } = await openLines()
    await app.user.click(lines.getByRole('button', { name: 'From the price book' }))
    const book = within(await screen.findByRole('dialog', { name: 'From the price book' }))
    await app.user.click(await book.findByRole('button', { name: /^Water heater/ }))
    await app.user.click(book.getByRole('button', { name: /^Water heater/ }))
    expect(book.getByText('Added 2 times')).toBeInTheDocument()
    await app.user.click(book.getByRole('button', { name: 'Done, 2 added' }))
    expect(lines.getAllByLabelText(/^What/).map((field) => (field as HTMLInputElement).value)).toEqual([
      'Water heater',
      'Water heater',
    ])
    expect(total(dialog)).toHaveTextContent('Total$2,900.00')
  })

  it('are reordered by buttons that keep the focus', async () => {
    stage.answerPdf({ 'X-Sent': 'email,sms' })
    const { app, lines, fill, generate } = await openLines()
    const openActions = (place: number) =>
      app.user.click(lines.getByRole('button', { name: `Actions for line ${place}` }))
    await openActions(1)
    expect(lines.queryByRole('button', { name: /^Move/ })).not.toBeInTheDocument()
    expect(lines.queryByRole('button', { name: /^Remove/ })).not.toBeInTheDocument()
    const add = async (at: number, name: string) => {
      if (at > 0) await app.user.click(lines.getByRole('button', { name: 'Add line' }))
      await fill(at, /^What/, name)
      await fill(at, /^Price each/, `${at + 1}0`)
    }
    await add(0, 'Tear off')
    await add(1, 'Felt')
    await add(2, 'Shingles')
    const names = () => lines.getAllByLabelText(/^What/).map((field) => (field as HTMLInputElement).value)
    expect(lines.getByRole('button', { name: 'Move line 1 up' })).toBeDisabled()
    await app.user.click(lines.getByRole('button', { name: 'Move line 1 down' }))
    expect(names()).toEqual(['Felt', 'Tear off', 'Shingles'])
    expect(lines.getByText('Now line 2 in this estimate')).toBeInTheDocument()
    expect(lines.getByRole('button', { name: 'Move line 2 down' })).toHaveFocus()
    await app.user.keyboard('{Enter}')
    expect(names()).toEqual(['Felt', 'Shingles', 'Tear off'])
    expect(lines.getByRole('button', { name: 'Move line 3 up' })).toHaveFocus()
    await generate()
    expect(await screen.findByText('Estimate Generated')).toBeInTheDocument()
    expect(await stage.made()[0]?.json()).toMatchObject({
      lines: [
        { name: 'Felt', unitPrice: 20 },
        { name: 'Shingles', unitPrice: 30 },
        { name: 'Tear off', unitPrice: 10 },
      ],
    })
  })

  it('show the server’s totals once received', async () => {
    stage.server.on('POST', '/api/estimates/preview', {
      body: {
        totals: {
          byOption: [
            { optionId: null, lines: [], subtotal: 10, discount: 0, taxes: [], tax: 0, total: 10.01, deposit: 0 },
          ],
        },
      },
    })
    const { dialog, fill } = await openLines()
    await fill(0, /^What/, 'Tap')
    await fill(0, /^Price each/, '10')
    expect(await dialog.findByText('$10.01')).toBeInTheDocument()
    expect(await stage.posts('/api/estimates/preview')[0]?.json()).toMatchObject({
      leadId: LEAD_ID,
      lines: [{ name: 'Tap', unitPrice: 10 }],
    })
  })

  it('are not submitted by Enter', async () => {
    const { app, lines, fill } = await openLines()
    await fill(0, /^Price each/, '10')
    await fill(0, /^What/, 'Tap')
    await app.user.type(lines.getByLabelText(/^What/), '{Enter}')
    expect(stage.made()).toEqual([])
    expect(screen.getByRole('dialog', { name: 'Generate Estimate PDF' })).toBeInTheDocument()
  })

  it('survive an accidentally closed dialog', async () => {
    const { app, dialog, fill } = await openLines()
    await fill(0, /^What/, 'Shingles')
    await app.user.click(dialog.getByRole('button', { name: 'Cancel' }))
    await pickQuickAction(app.user, 'Generate Estimate PDF')
    expect(await screen.findByDisplayValue('Shingles')).toBeInTheDocument()
  })
})
