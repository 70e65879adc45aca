import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { clearErrors, getLoggedErrors, stopErrorLog, startErrorLog, ERROR_LOG_LIMIT, markErrorsRead } from './error-log'
import { toast } from './toast-store'

const AT = Date.parse('2026-11-20T15:04:05.000Z')
const titles = (accountId = 'olivia') => getLoggedErrors(accountId).map(({ title }) => title)

beforeEach(() => {
  vi.useFakeTimers({ now: AT })
  startErrorLog('olivia')
})
afterEach(() => {
  vi.useRealTimers()
})

it('keeps every error, newest first, with text and time', () => {
  toast.error('Not saved', 'The server is away')
  vi.setSystemTime(AT + 60_000)
  toast.error('Not sent')
  expect(getLoggedErrors('olivia')).toEqual([
    { id: expect.any(Number), title: 'Not sent', description: undefined, at: AT + 60_000, isRead: false },
    { id: expect.any(Number), title: 'Not saved', description: 'The server is away', at: AT, isRead: false },
  ])
})

it('ignores success and info toasts', () => {
  toast.success('Saved')
  toast.show('Nothing was sent', { variant: 'info' })
  expect(titles()).toEqual([])
})

it('keeps one entry per toast', () => {
  const id = toast.show('Not saved', { variant: 'destructive' })
  vi.advanceTimersByTime(5000)
  expect(titles()).toEqual(['Not saved'])
  expect(getLoggedErrors('olivia')[0]?.id).toBe(id)
})

it('keeps the newest 50', () => {
  for (let number = 1; number <= ERROR_LOG_LIMIT + 2; number += 1) toast.error(`Fault ${number}`)
  expect(ERROR_LOG_LIMIT).toBe(50)
  expect(titles()).toHaveLength(50)
  expect(titles()[0]).toBe('Fault 52')
  expect(titles().at(-1)).toBe('Fault 3')
})

it('marks as read; later ones are unread', () => {
  toast.error('Not saved')
  markErrorsRead()
  toast.error('Not sent')
  expect(getLoggedErrors('olivia').map(({ title, isRead }) => [title, isRead])).toEqual([
    ['Not sent', false],
    ['Not saved', true],
  ])
})

it('clears, and continues afterwards', () => {
  toast.error('Not saved')
  clearErrors()
  expect(titles()).toEqual([])
  toast.error('Not sent')
  expect(titles()).toEqual(['Not sent'])
})

it('belongs to one user: gone for the next, and for the first again', () => {
  toast.error('Not saved')
  expect(titles('otto')).toEqual([])
  startErrorLog('otto')
  expect(titles('otto')).toEqual([])
  startErrorLog('olivia')
  expect(titles()).toEqual([])
})

it('stays across screens', () => {
  toast.error('Not saved')
  startErrorLog('olivia')
  expect(titles()).toEqual(['Not saved'])
})

it('ignores errors before sign-in and after logout', () => {
  stopErrorLog()
  toast.error('Email or password is not right')
  startErrorLog('olivia')
  toast.success('Welcome back!')
  expect(titles()).toEqual([])
  toast.error('Not saved')
  stopErrorLog()
  toast.error('Not sent')
  expect(titles()).toEqual([])
})

it('writes nothing to the device', () => {
  toast.error('Not saved', 'Ana Arroyo is on another job')
  expect([localStorage.length, sessionStorage.length]).toEqual([0, 0])
})
