import { expect, it } from 'vitest'
import { JOB_DETAIL_PRIORITIES, JOB_PRIORITIES, PRIORITY_LEVELS } from './job'

it('the usual priority has one word on every screen', () => {
  const words = [JOB_PRIORITIES.Standard.label, JOB_DETAIL_PRIORITIES.Normal.label, PRIORITY_LEVELS.standard]
  expect(words).toEqual(['Standard', 'Standard', 'Standard'])
})
