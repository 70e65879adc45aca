// The schedule: a job is dragged from the tray to a crew's morning, made longer, shown as overlapping, and moved back;
// on a phone and by keyboard through each visit's menu.
import type { Locator, Page } from '@playwright/test'
import { findAxeViolations } from '../support/axe'
import { type Business, registerBusiness } from '../support/business'
import { buildCustomer } from '../support/people'
import { expectToast } from '../support/screens'
import { expect, test } from '../support/fixtures'

/** A Tuesday far enough ahead that its name never becomes "Tomorrow". */
const DAY = '2031-03-04'
const SHOWN = 'Tue, Mar 4, 2031'

const row = (page: Page, name: string): Locator => page.getByRole('region', { name, exact: true })
const visit = (within: Locator, customer: string): Locator => within.getByRole('button', { name: customer })
const tray = (page: Page): Locator =>
  page.locator('section').filter({ has: page.getByRole('heading', { name: /^Not scheduled/ }) })

async function post(
  page: Page,
  { install }: Business,
  path: string,
  data: Record<string, unknown>,
): Promise<{ id: string }> {
  const answer = await page.request.post(path, { data, headers: { Origin: install.url, 'X-Toolbox-Client': 'story' } })
  expect(answer.status(), await answer.text()).toBe(201)
  return (await answer.json()) as { id: string }
}

/** Two crews; Otto at nine with the first, Wanda waiting. */
async function setUp(page: Page, business: Business): Promise<void> {
  const north = await post(page, business, '/api/crews', { name: 'North crew' })
  await post(page, business, '/api/crews', { name: 'South crew' })
  const service = 'plumbing'
  await post(page, business, '/api/jobs', {
    customer: { name: 'Otto Brand', phone: buildCustomer().phone },
    service,
    startsAt: `${DAY}T15:00:00Z`,
    durationMinutes: 120,
    crewId: north.id,
  })
  await post(page, business, '/api/jobs', {
    customer: { name: 'Wanda Waits', phone: buildCustomer().phone },
    service,
    durationMinutes: 60,
  })
}

type Point = { x: number; y: number }

/** Where a visit is taken: near its beginning. */
const GRIP: Point = { x: 8, y: 12 }

/** Drags it with the mouse after its animation, to a point that is computed during the drag. */
async function carry(page: Page, what: Locator, to: () => Promise<Point>, grip: Point = GRIP): Promise<void> {
  await what.hover({ position: grip })
  await page.mouse.down()
  const { x, y } = await to()
  await page.mouse.move(x - 40, y, { steps: 4 })
  await page.mouse.move(x, y, { steps: 4 })
}

async function boxOf(what: Locator): Promise<Point & { width: number; height: number }> {
  const box = await what.boundingBox()
  if (!box) throw new Error('There is nothing to drag, or nowhere to drop it')
  return box
}

/** Where an hour is in a crew's row, which shows the hours from eight to five. */
const at = (page: Page, crew: string, hour: number) => async (): Promise<Point> => {
  const { x, y, width, height } = await boxOf(row(page, crew).locator('[data-drop]'))
  return { x: x + ((hour - 8) / 9) * width + GRIP.x, y: y + height / 2 }
}

// A mouse belongs to a desk.
test('schedule: the week is planned by dragging', { tag: '@desktop' }, async ({ freshInstall, owner }) => {
  const business = await registerBusiness(freshInstall)
  const page = await owner(business)
  await setUp(page, business)
  await page.goto(`/app/schedule?date=${DAY}`)
  await expect(page.getByRole('heading', { level: 1, name: 'Schedule' })).toBeVisible()
  await expect(visit(row(page, 'North crew'), 'Otto Brand')).toContainText('9:00 AM – 11:00 AM')

  await test.step('from unscheduled to a crew’s hour, with a preview', async () => {
    await carry(page, visit(tray(page), 'Wanda Waits'), at(page, 'North crew', 10))
    await expect(page.getByText('Overlaps #1001, 9:00 AM – 11:00 AM').first()).toBeVisible()
    await page.mouse.up()
    await expectToast(page, 'Scheduled', `#1002, Wanda Waits: ${SHOWN} 10:00 AM, North crew. Overlaps #1001.`)
    await expect(page.getByText('1 overlap', { exact: true })).toBeVisible()
    await expect(page.getByText('Every job has a time.')).toBeVisible()
  })

  await test.step('to another crew without an overlap', async () => {
    await carry(page, visit(row(page, 'North crew'), 'Wanda Waits'), at(page, 'South crew', 13))
    await page.mouse.up()
    await expectToast(page, 'Moved', `#1002, Wanda Waits: ${SHOWN} 1:00 PM, South crew`)
    await expect(visit(row(page, 'South crew'), 'Wanda Waits')).toContainText('1:00 PM – 2:00 PM')
    await expect(page.getByText('1 overlap', { exact: true })).toBeHidden()
  })

  await test.step('resize by the edge', async () => {
    const edge = row(page, 'South crew').locator('[data-resize]')
    const { width, height } = await boxOf(edge)
    await carry(page, edge, at(page, 'South crew', 16), { x: width / 2, y: height / 2 })
    await page.mouse.up()
    await expect(visit(row(page, 'South crew'), 'Wanda Waits')).toContainText('1:00 PM – 4:00 PM')
  })

  await test.step('back to unscheduled, then undo', async () => {
    await carry(page, visit(row(page, 'South crew'), 'Wanda Waits'), async () => {
      const { x, y, width } = await boxOf(tray(page))
      return { x: x + width / 2, y: y + 30 }
    })
    await page.mouse.up()
    await expectToast(page, 'Taken off the schedule')
    await page.getByRole('region', { name: 'Notifications (F8)' }).getByRole('button', { name: 'Undo' }).click()
    await expectToast(page, 'Undone')
    await expect(visit(row(page, 'South crew'), 'Wanda Waits')).toContainText('1:00 PM – 4:00 PM')
  })

  await test.step('to another day at the same time', async () => {
    await page.getByRole('tab', { name: 'Week' }).click()
    const days = row(page, 'South crew').locator('[data-drop]')
    // The day is shown until the week is loaded.
    await expect(days).toHaveCount(7)
    await carry(page, visit(row(page, 'South crew'), 'Wanda Waits'), async () => {
      const { x, y, width } = await boxOf(days.nth(4))
      return { x: x + width / 2, y: y + 20 }
    })
    await page.mouse.up()
    await expectToast(page, 'Moved', '#1002, Wanda Waits: Thu, Mar 6, 2031 1:00 PM, South crew')
  })

  await test.step('move by keyboard only', async () => {
    await page.getByRole('tab', { name: 'Month' }).click()
    const card = visit(page.getByRole('region', { name: 'Thu, Mar 6', exact: true }), 'Wanda Waits')
    await card.focus()
    await page.keyboard.press('ArrowUp')
    await expect(visit(page.getByRole('region', { name: 'Tue, Mar 4', exact: true }), 'Otto Brand')).toBeFocused()
    await page.keyboard.press('Enter')
    const open = page.getByRole('dialog', { name: '#1001, Otto Brand' })
    await open.getByLabel('Time', { exact: true }).fill('07:00')
    await page.keyboard.press('Enter')
    await expectToast(page, 'Moved', `#1001, Otto Brand: ${SHOWN} 7:00 AM, North crew`)
    expect(await findAxeViolations(page)).toEqual([])
  })
})

// The desk has its own story.
test('schedule on a phone: planned by each visit’s menu', { tag: '@phone' }, async ({ freshInstall, owner }) => {
  const business = await registerBusiness(freshInstall)
  const page = await owner(business)
  await setUp(page, business)
  await page.goto(`/app/schedule?date=${DAY}`)
  await expect(visit(row(page, 'North crew'), 'Otto Brand')).toBeVisible()

  await page.getByRole('button', { name: 'Not scheduled 1' }).click()
  await visit(page.getByRole('dialog', { name: 'Not scheduled' }), 'Wanda Waits').click()
  const open = page.getByRole('dialog', { name: '#1002, Wanda Waits' })
  await expect(open.getByLabel('Day')).toHaveValue(DAY)
  await open.getByLabel('Time', { exact: true }).fill('10:00')
  await open.getByLabel('Crew').selectOption({ label: 'North crew' })
  await expect(open.getByText('Overlaps #1001, 9:00 AM – 11:00 AM, Otto Brand')).toBeVisible()
  expect(await findAxeViolations(page)).toEqual([])
  await open.getByRole('button', { name: 'Schedule' }).click()
  await expectToast(page, 'Scheduled', `#1002, Wanda Waits: ${SHOWN} 10:00 AM, North crew. Overlaps #1001.`)
  await expect(page.getByText('1 overlap', { exact: true })).toBeVisible()
  await page.getByRole('region', { name: 'Notifications (F8)' }).getByRole('button', { name: 'Undo' }).click()
  await expectToast(page, 'Undone')
  await expect(page.getByRole('button', { name: 'Not scheduled 1' })).toBeVisible()

  for (const view of ['Week', 'Month']) {
    await page.getByRole('tab', { name: view }).click()
    await expect(page.getByRole('region', { name: 'Tue, Mar 4', exact: true })).toBeVisible()
    expect(await findAxeViolations(page)).toEqual([])
  }
  await page.getByRole('button', { name: 'Show Tue, Mar 4, 1 job' }).click()
  await expect(visit(row(page, 'North crew'), 'Otto Brand')).toBeVisible()
})
