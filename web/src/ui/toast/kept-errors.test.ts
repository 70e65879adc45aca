// What went wrong is kept after its toast is gone: for one person, in this tab, until they clear it or sign out.
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { clearErrors, errorsOf, forgetErrors, keepErrorsFor, KEPT_ERRORS_LIMIT, markErrorsRead } from './kept-errors'
import { toast } from './toast-store'

const AT = Date.parse('2026-11-20T15:04:05.000Z')
const titles = (accountId = 'olivia') => errorsOf(accountId).map(({ title }) => title)

beforeEach(() => {
  vi.useFakeTimers({ now: AT })
  keepErrorsFor('olivia')
})
afterEach(() => {
  vi.useRealTimers()
})

it('keeps every error, newest first, with its words and when it was said, though the next toast took its place', () => {
  toast.error('Not saved', 'The server is away')
  vi.setSystemTime(AT + 60_000)
  toast.error('Not sent')
  expect(errorsOf('olivia')).toEqual([
    { id: expect.any(Number), title: 'Not sent', description: undefined, at: AT + 60_000, isRead: false },
    { id: expect.any(Number), title: 'Not saved', description: 'The server is away', at: AT, isRead: false },
  ])
})

it('keeps neither what went well nor what did neither', () => {
  toast.success('Saved')
  toast.show('Nothing was sent', { variant: 'info' })
  expect(titles()).toEqual([])
})

it('keeps one error once, however often its toast changes', () => {
  const id = toast.show('Not saved', { variant: 'destructive' })
  vi.advanceTimersByTime(5000)
  expect(titles()).toEqual(['Not saved'])
  expect(errorsOf('olivia')[0]?.id).toBe(id)
})

it('keeps the newest 50', () => {
  for (let number = 1; number <= KEPT_ERRORS_LIMIT + 2; number += 1) toast.error(`Fault ${number}`)
  expect(KEPT_ERRORS_LIMIT).toBe(50)
  expect(titles()).toHaveLength(50)
  expect(titles()[0]).toBe('Fault 52')
  expect(titles().at(-1)).toBe('Fault 3')
})

it('is read, and what comes after that is not', () => {
  toast.error('Not saved')
  markErrorsRead()
  toast.error('Not sent')
  expect(errorsOf('olivia').map(({ title, isRead }) => [title, isRead])).toEqual([
    ['Not sent', false],
    ['Not saved', true],
  ])
})

it('is cleared, and goes on after that', () => {
  toast.error('Not saved')
  clearErrors()
  expect(titles()).toEqual([])
  toast.error('Not sent')
  expect(titles()).toEqual(['Not sent'])
})

it('is nobody else’s: who is signed in next finds nothing, and neither does the first one again', () => {
  toast.error('Not saved')
  expect(titles('otto')).toEqual([])
  keepErrorsFor('otto')
  expect(titles('otto')).toEqual([])
  keepErrorsFor('olivia')
  expect(titles()).toEqual([])
})

it('stays while the same person goes from screen to screen', () => {
  toast.error('Not saved')
  keepErrorsFor('olivia')
  expect(titles()).toEqual(['Not saved'])
})

it('keeps nothing of what was said before anybody was there, nor after they left', () => {
  forgetErrors()
  toast.error('Email or password is not right')
  keepErrorsFor('olivia')
  toast.success('Welcome back!')
  expect(titles()).toEqual([])
  toast.error('Not saved')
  forgetErrors()
  toast.error('Not sent')
  expect(titles()).toEqual([])
})

it('writes nothing to the device', () => {
  toast.error('Not saved', 'Ana Arroyo is on another job')
  expect([localStorage.length, sessionStorage.length]).toEqual([0, 0])
})
