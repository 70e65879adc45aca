import { screen, within } from '@testing-library/react'
import userEvent, { type UserEvent } from '@testing-library/user-event'
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { type EstimateTest, LEAD_ID, openEstimateLines, setupEstimateTest } from '@/testing/estimate-setup'
import { loadLeadScreens } from '@/testing/load-screens'
import { pickQuickAction } from '@/testing/open-lead'
import { buildEstimate, buildPriceItem } from '@/testing/paper-builders'
import { renderApp } from '@/testing/render-app'

let stage: EstimateTest

beforeAll(() => Promise.all([loadLeadScreens(), import('../estimate-dialog'), import('../estimate-lines')]))

beforeEach(() => {
  stage = setupEstimateTest()
  stage.answerLead()
  stage.answerPdf({ 'X-Sent': 'email,sms' })
})

/** One line for $100, and a second option as its copy. */
async function openTwoOptions() {
  const opened = await openEstimateLines()
  const { app, lines, fill } = opened
  await fill(0, /^What/, 'Tank')
  await fill(0, /^Price each/, '100')
  await app.user.click(lines.getByRole('button', { name: 'Add option' }))
  const column = (name: string) => within(lines.getByRole('region', { name }))
  const names = (name: string) =>
    column(name)
      .queryAllByLabelText(/^What/)
      .map((field) => (field as HTMLInputElement).value)
  return { ...opened, column, names }
}

const sent = async () => (await stage.made()[0]?.json()) as { lines: { name: string; optionId?: string }[] }

describe('estimate in columns', () => {
  it('two options, the second copied and its price raised: sent within six taps', async () => {
    renderApp(`/app/leads/${LEAD_ID}`)
    const user = userEvent.setup()
    let taps = 0
    const tap: UserEvent['click'] = async (element) => {
      taps += 1
      await user.click(element)
    }
    await tap(await screen.findByRole('button', { name: 'More for this lead' }))
    await tap(await screen.findByRole('button', { name: 'Generate Estimate PDF' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Generate Estimate PDF' }))
    await tap(dialog.getByRole('switch', { name: 'Line items' }))
    expect(await dialog.findByLabelText(/^What/)).toHaveFocus()
    await user.keyboard('Water heater{Enter}')
    expect(dialog.getByLabelText(/^Price each/)).toHaveFocus()
    await user.keyboard('1200')
    await tap(dialog.getByRole('button', { name: 'Add option' }))
    const better = within(dialog.getByRole('region', { name: 'Better' }))
    expect(better.getByLabelText(/^Price each/)).toHaveFocus()
    await user.keyboard('1620')
    await tap(dialog.getByRole('button', { name: 'Send by text and email to Carla' }))
    expect(await screen.findByText('Estimate Generated')).toBeInTheDocument()
    expect(taps).toBeLessThanOrEqual(6)
    expect(await sent()).toMatchObject({
      lines: [
        { name: 'Water heater', unitPrice: 1200, optionId: 'good' },
        { name: 'Water heater', unitPrice: 1620, optionId: 'better' },
      ],
      options: [
        { id: 'good', name: 'Good' },
        { id: 'better', name: 'Better' },
      ],
      recommended: 'better',
      send: { email: true, text: true },
    })
  })

  it('shows each total, its deposit, and the difference to the option before', async () => {
    const { app, dialog, lines, fill, column, generate } = await openTwoOptions()
    await fill(1, /^Price each/, '150')
    await app.user.selectOptions(dialog.getByLabelText('Deposit on approval'), 'Percent')
    await app.user.type(dialog.getByLabelText(/^Percent of the total/), '50')
    // 8.25 % of 100 and of 150: 8.25 and 12.38.
    const [good, better] = ['Good', 'Better'].map((name) => lines.getByRole('region', { name }))
    expect(good).toHaveTextContent('Total$108.25Deposit on approval$54.13')
    expect(better).toHaveTextContent('Total$162.38Deposit on approval$81.19')
    expect(better).toHaveTextContent('+$54.13 compared with Good')
    expect(column('Better').getByRole('radio', { name: 'Recommended: Better' })).toBeChecked()
    await app.user.click(column('Good').getByRole('radio', { name: 'Recommended: Good' }))
    await generate()
    expect(await screen.findByText('Estimate Generated')).toBeInTheDocument()
    expect(await sent()).toMatchObject({ recommended: 'good', deposit: { percent: 50 } })
  })

  it('a line is copied, moved and shared by its actions', async () => {
    const { app, column, names, lines, fill, generate } = await openTwoOptions()
    await app.user.click(column('Good').getByRole('button', { name: 'Add line' }))
    expect(column('Good').getAllByLabelText(/^What/)[1]).toHaveFocus()
    await app.user.keyboard('Pan')
    await fill(1, /^Price each/, '20')
    const act = async (name: string, place: number, action: string) => {
      await app.user.click(column(name).getByRole('button', { name: `Actions for line ${place}` }))
      await app.user.click(column(name).getByRole('button', { name: action }))
    }
    await act('Good', 2, 'Copy to Better')
    expect(names('Good')).toEqual(['Tank', 'Pan'])
    expect(names('Better')).toEqual(['Tank', 'Pan'])
    await act('Better', 1, 'Move to Good')
    expect(names('Good')).toEqual(['Tank', 'Pan', 'Tank'])
    expect(names('Better')).toEqual(['Pan'])
    expect(lines.getByText('Now line 3 in Good')).toBeInTheDocument()
    expect(column('Good').getByRole('button', { name: 'Actions for line 3' })).toHaveFocus()
    await act('Good', 2, 'Put in every option')
    expect(names('In every option')).toEqual(['Pan'])
    await generate()
    expect(await screen.findByText('Estimate Generated')).toBeInTheDocument()
    const asked = await sent()
    expect(asked.lines.filter(({ optionId }) => optionId === undefined).map(({ name }) => name)).toEqual(['Pan'])
    expect(asked.lines).toHaveLength(4)
  })

  it('a line is moved by the arrow keys of its handle', async () => {
    const { app, column, names } = await openTwoOptions()
    await app.user.click(column('Good').getByRole('button', { name: 'Add line' }))
    await app.user.keyboard('Pan')
    column('Good').getByRole('button', { name: 'Drag line 2' }).focus()
    await app.user.keyboard('{ArrowUp}')
    expect(names('Good')).toEqual(['Pan', 'Tank'])
    expect(column('Good').getByRole('button', { name: 'Drag line 1' })).toHaveFocus()
    await app.user.keyboard('{ArrowDown}')
    expect(names('Good')).toEqual(['Tank', 'Pan'])
    await app.user.keyboard('{ArrowRight}')
    expect(names('Good')).toEqual(['Tank'])
    expect(names('Better')).toEqual(['Tank', 'Pan'])
    expect(column('Better').getByRole('button', { name: 'Drag line 2' })).toHaveFocus()
  })

  it('a line is dragged to another option', async () => {
    const { app, column, names, lines } = await openTwoOptions()
    const better = lines.getByRole('region', { name: 'Better' })
    Object.assign(document, { elementFromPoint: () => better })
    vi.spyOn(better.querySelector('li') ?? better, 'getBoundingClientRect').mockReturnValue(
      new DOMRect(0, 200, 300, 100),
    )
    const handle = column('Good').getByRole('button', { name: 'Drag line 1' })
    await app.user.pointer([
      { keys: '[MouseLeft>]', target: handle, coords: { clientX: 0, clientY: 0 } },
      { target: better, coords: { clientX: 40, clientY: 210 } },
      { keys: '[/MouseLeft]', target: better, coords: { clientX: 40, clientY: 210 } },
    ])
    Reflect.deleteProperty(document, 'elementFromPoint')
    expect(names('Good')).toEqual([])
    expect(names('Better')).toEqual(['Tank', 'Tank'])
    expect(lines.getByText('Now line 1 in Better')).toBeInTheDocument()
  })

  it('a removed line comes back by Undo, with what was typed', async () => {
    const { app, column, names, lines } = await openTwoOptions()
    await app.user.click(column('Good').getByRole('button', { name: 'Actions for line 1' }))
    await app.user.click(column('Good').getByRole('button', { name: 'Remove line 1' }))
    expect(names('Good')).toEqual([])
    expect(column('Good').getByText('No lines yet.')).toBeInTheDocument()
    await app.user.click(lines.getByRole('button', { name: 'Undo' }))
    expect(names('Good')).toEqual(['Tank'])
    expect(column('Good').getByLabelText(/^Price each/)).toHaveValue('100')
    expect(lines.queryByRole('button', { name: 'Undo' })).not.toBeInTheDocument()
  })

  it('a removed option comes back by Undo; the one that is left needs no options', async () => {
    const { app, column, names, lines, generate } = await openTwoOptions()
    await app.user.clear(column('Better').getByLabelText(/^Option name/))
    await app.user.type(lines.getAllByLabelText(/^Option name/)[1] ?? document.body, 'Copper')
    await app.user.click(lines.getByRole('button', { name: 'Remove Copper' }))
    expect(lines.queryByRole('region', { name: 'Good' })).not.toBeInTheDocument()
    expect(lines.getAllByLabelText(/^What/)).toHaveLength(1)
    await app.user.click(lines.getByRole('button', { name: 'Undo' }))
    expect(names('Copper')).toEqual(['Tank'])
    expect(names('Good')).toEqual(['Tank'])
    await app.user.click(lines.getByRole('button', { name: 'Remove Copper' }))
    await generate()
    expect(await screen.findByText('Estimate Generated')).toBeInTheDocument()
    const asked = await sent()
    expect(asked).not.toHaveProperty('options')
    expect(asked.lines).toHaveLength(1)
    expect(asked.lines[0]).not.toHaveProperty('optionId')
  })

  it('a line comes from the price book by two letters', async () => {
    const item = buildPriceItem({ name: 'Water heater', price: 1450, unit: 'set', taxRate: 0 })
    stage.server.on('GET', '/api/price-items', (_request, url) => ({
      body: url.searchParams.get('q') === 'wa' ? [item] : [],
    }))
    const { app, lines } = await openEstimateLines()
    await app.user.keyboard('wa')
    const field = lines.getByRole('combobox', { name: 'What' })
    const match = await lines.findByRole('option', { name: /^Water heater/ })
    expect(match).toHaveTextContent('$1,450.00 / set')
    expect(field).toHaveAttribute('aria-expanded', 'true')
    await app.user.keyboard('{ArrowDown}')
    expect(match).toHaveAttribute('aria-selected', 'true')
    await app.user.keyboard('{Enter}')
    expect(field).toHaveValue('Water heater')
    expect(lines.getByLabelText(/^Price each/)).toHaveValue('1450.00')
    expect(match).not.toBeInTheDocument()
    expect(screen.getByText('Total').parentElement).toHaveTextContent('Total$1,450.00')
    await app.user.click(lines.getByRole('button', { name: 'One more of line 1' }))
    expect(screen.getByText('Total').parentElement).toHaveTextContent('Total$2,900.00')
  })

  it('the quantity never goes below something', async () => {
    const { app, lines } = await openEstimateLines()
    const quantity = lines.getByLabelText(/^Quantity/)
    await app.user.click(lines.getByRole('button', { name: 'One less of line 1' }))
    expect(quantity).toHaveValue('1')
    await app.user.clear(quantity)
    await app.user.type(quantity, '1.5')
    await app.user.click(lines.getByRole('button', { name: 'One less of line 1' }))
    expect(quantity).toHaveValue('0.5')
  })

  it('up to four options; each is a copy of the one before', async () => {
    const { app, lines, names } = await openTwoOptions()
    await app.user.click(lines.getByRole('button', { name: 'Add option' }))
    await app.user.click(lines.getByRole('button', { name: 'Add option' }))
    expect(names('Option 4')).toEqual(['Tank'])
    expect(lines.queryByRole('button', { name: 'Add option' })).not.toBeInTheDocument()
  })

  it('on a narrow screen the options are pages with tabs that tell the totals', async () => {
    vi.stubGlobal('matchMedia', (query: string) => ({
      matches: false,
      media: query,
      addEventListener: () => undefined,
      removeEventListener: () => undefined,
    }))
    const { app, lines, fill } = await openEstimateLines()
    await fill(0, /^What/, 'Tank')
    await fill(0, /^Price each/, '100')
    await app.user.click(lines.getByRole('button', { name: 'Add option' }))
    const tabs = within(lines.getByRole('tablist', { name: 'Options' }))
    expect(tabs.getAllByRole('tab').map((tab) => tab.textContent)).toEqual(['Good $108.25', 'Better $108.25'])
    await app.user.click(tabs.getByRole('tab', { name: /^Better/ }))
    expect(tabs.getByRole('tab', { name: /^Better/ })).toHaveAttribute('aria-selected', 'true')
    expect(lines.getByRole('tabpanel', { name: 'Better' })).toBeInTheDocument()
  })

  it('a draft with options survives a closed dialog', async () => {
    const { app, dialog } = await openTwoOptions()
    await app.user.click(dialog.getByRole('button', { name: 'Cancel' }))
    await pickQuickAction(app.user, 'Generate Estimate PDF')
    const better = within(await screen.findByRole('region', { name: 'Better' }))
    expect(better.getByLabelText(/^What/)).toHaveValue('Tank')
    expect(better.getByLabelText(/^Price each/)).toHaveValue('100')
  })

  it('an empty option is refused in words', async () => {
    const { app, column, lines, generate } = await openTwoOptions()
    await app.user.click(column('Better').getByRole('button', { name: 'Actions for line 1' }))
    await app.user.click(column('Better').getByRole('button', { name: 'Remove line 1' }))
    await generate()
    expect(await lines.findByText('Better has no lines yet. Add one, or remove the option.')).toBeInTheDocument()
    expect(stage.made()).toEqual([])
  })

  it('thirty lines in three options of long names are sent as they are', async () => {
    const long = 'Water heater of 50 gallons '.repeat(7)
    const lines = Array.from({ length: 90 }, (_, at) => ({
      id: `${at}`,
      name: `${long}${at}`,
      quantity: 1,
      unit: 'each',
      unitPrice: 10,
      optionId: ['a', 'b', 'c'][at % 3] ?? 'a',
    }))
    const options = ['a', 'b', 'c'].map((id) => ({ id, name: `${long}${id}` }))
    const estimate = buildEstimate({ content: { title: null, lines, options, recommended: 'a' } })
    stage.answerLead({}, [estimate])
    const revised = `/api/estimates/${estimate.id}/revise`
    stage.server.on('POST', revised, { status: 201, body: estimate, headers: { 'X-Sent': 'email,sms' } })
    const app = renderApp(`/app/leads/${LEAD_ID}?tab=money`)
    await app.user.click(await screen.findByRole('button', { name: 'Revise' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'New version of EST-1001' }))
    expect(await dialog.findAllByLabelText(/^What/)).toHaveLength(90)
    await app.user.click(dialog.getByRole('button', { name: /^Send new version/ }))
    expect(await screen.findByText('New version made')).toBeInTheDocument()
    expect(await stage.posts(revised)[0]?.json()).toMatchObject({ lines: lines.map(({ id, name }) => ({ id, name })) })
  })

  it('a sent estimate with options opens as it is', async () => {
    const estimate = buildEstimate({
      content: {
        title: 'Heater',
        lines: [
          { id: '1', name: 'Labor', quantity: 1, unit: 'each', unitPrice: 50 },
          { id: '2', name: 'Tank', quantity: 1, unit: 'each', unitPrice: 900, optionId: 'a' },
          { id: '3', name: 'Tankless', quantity: 1, unit: 'each', unitPrice: 2400, optionId: 'b' },
        ],
        options: [
          { id: 'a', name: 'Repair' },
          { id: 'b', name: 'Replace' },
        ],
        recommended: 'b',
      },
    })
    stage.answerLead({}, [estimate])
    const app = renderApp(`/app/leads/${LEAD_ID}?tab=money`)
    await app.user.click(await screen.findByRole('button', { name: 'Revise' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'New version of EST-1001' }))
    const of = async (name: string) => within(await dialog.findByRole('region', { name }))
    expect((await of('In every option')).getByLabelText(/^What/)).toHaveValue('Labor')
    expect((await of('Repair')).getByLabelText(/^What/)).toHaveValue('Tank')
    expect((await of('Replace')).getByText('+$1,500 compared with Repair')).toBeInTheDocument()
  })
})
