import { expect, it } from 'vitest'
import type { Schema } from '@/api/client'
import { buildAlert } from '@/testing/builders'
import { groupAlerts } from './alert-groups'

const many = (count: number, parts: Partial<Schema['Alert']>) => Array.from({ length: count }, () => buildAlert(parts))
const unsent = (count: number, reason: string) =>
  many(count, {
    kind: 'text_not_sent',
    title: 'Your text to Ana was not sent',
    body: `The reason: ${reason}. Call them.`,
  })
const titlesOf = (alerts: readonly Schema['Alert'][]) => groupAlerts(alerts).map(({ title }) => title)

it('alerts: one line for each cause, in order of the first', () => {
  const alerts = [
    ...unsent(37, 'the number is not registered'),
    ...many(3, { kind: 'missed_call' }),
    ...unsent(4, 'the number is a landline'),
  ]
  expect(titlesOf(alerts)).toEqual([
    '37 texts did not get through: the number is not registered',
    '3 missed calls',
    '4 texts did not get through: the number is a landline',
  ])
})

it('alerts: fewer than three of a cause are shown one by one', () => {
  expect(titlesOf([buildAlert({ title: 'Text from Ana' }), buildAlert({ title: 'Text from Ben' })])).toEqual([
    'Text from Ana',
    'Text from Ben',
  ])
})

it('alerts: urgent ones are not folded together with others', () => {
  const groups = groupAlerts([...many(3, { isUrgent: true }), ...many(3, {})])
  expect(groups.map(({ isUrgent, alerts }) => [isUrgent, alerts.length])).toEqual([
    [true, 3],
    [false, 3],
  ])
})

it('alerts of a kind without words of its own: named by the first', () => {
  expect(titlesOf(many(3, { kind: 'security', title: 'Somebody signed in' }))).toEqual([
    '3 like this: Somebody signed in',
  ])
})
