// The script of the customer pages: a page that was left open shows the present state when its reader comes back.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, beforeEach, expect, it, vi } from 'vitest'

const SCRIPT = readFileSync(join(import.meta.dirname, '../../../../api/src/pages/public.js'), 'utf8')

const page = (part: string, shownAt = '8:00') => `<main><div data-current="time" data-page="/p/abc">${part}</div>
  <div data-current="kept" data-page="/p/abc" data-gone="Not kept">Kept until 2:15 PM</div>
  <form><textarea></textarea></form>
  <div data-current="cancel" data-page="/p/abc"><details><summary>Cancel</summary><form>
    <input type="hidden" name="shownAt" value="${shownAt}"><textarea name="reason"></textarea></form></details></div></main>`
const HELD = '<h1>Keep this time?</h1>'
const TAKEN = '<h1>This time is taken now</h1>'

const answers: { status: number; body: string }[] = []
const ask = vi.fn<typeof fetch>(async () => {
  const { status, body } = answers.shift() ?? { status: 503, body: '' }
  return new Response(body, { status })
})
let now = 0

beforeAll(() => {
  vi.spyOn(Date, 'now').mockImplementation(() => now)
  history.replaceState(null, '', '/p/abc?booked=1')
  document.body.innerHTML = page(HELD)
  // oxlint-disable-next-line typescript/no-implied-eval -- jsdom runs no scripts of the page
  const start = Function(SCRIPT) as () => void
  start()
})

beforeEach(() => {
  vi.spyOn(Date, 'now').mockImplementation(() => now)
  vi.stubGlobal('fetch', ask)
  ask.mockClear()
})

async function comeBack(status: number, body: string, afterMs = 60_000) {
  now += afterMs
  answers.splice(0, answers.length, { status, body })
  window.dispatchEvent(new Event('focus'))
  await vi.waitFor(() => expect(answers).toHaveLength(0))
  await new Promise((done) => setTimeout(done))
}

it('taken meanwhile: the page says so', async () => {
  await comeBack(200, page(TAKEN))
  expect(ask).toHaveBeenCalledWith('/p/abc?booked=1', expect.anything())
  expect(document.querySelector('h1')?.textContent).toBe('This time is taken now')
})

it('nothing changed, or the server is away: the page stays as it is', async () => {
  const before = document.querySelector('h1')
  await comeBack(200, page(TAKEN))
  await comeBack(503, '')
  expect(document.querySelector('h1')).toBe(before)
})

it('asked once for several events of one return', async () => {
  await comeBack(200, page(TAKEN))
  document.dispatchEvent(new Event('visibilitychange'))
  expect(ask).toHaveBeenCalledTimes(1)
})

it('part that is gone while something is typed: its words say so, what was typed stays', async () => {
  const field = document.querySelector('textarea')
  if (field) field.value = 'After four'
  await comeBack(200, `<div data-current="time">${HELD}</div>`)
  expect(document.querySelector('[data-current="kept"]')?.textContent).toBe('Not kept')
  expect(document.querySelector('h1')?.textContent).toBe('Keep this time?')
  expect(field?.value).toBe('After four')
})

it('visit that is moved while a reason is typed: the form is about the moved visit, and the reason stays', async () => {
  const reason = () => document.querySelector<HTMLTextAreaElement>('[name="reason"]')
  const field = reason()
  if (field) field.value = 'We are away'
  document.querySelector('details')?.setAttribute('open', '')
  await comeBack(200, page(HELD, '9:00'))
  expect(document.querySelector<HTMLInputElement>('[name="shownAt"]')?.value).toBe('9:00')
  expect(reason()).not.toBe(field)
  expect(reason()?.value).toBe('We are away')
  expect(document.querySelector('details')?.open).toBe(true)
})
