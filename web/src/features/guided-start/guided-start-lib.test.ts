import { describe, expect, it } from 'vitest'
import { findHoursPreset, HOURS_PRESETS } from './lib/hours-presets'
import { judgeReviewLink } from './lib/review-link'
import { listMissingSteps, type SetupStep } from './queries'
import { findNextStep } from './start-steps'

const step = (key: SetupStep['key'], parts: Partial<SetupStep> = {}): SetupStep => ({
  key,
  isDone: false,
  isUrgent: false,
  isHidden: false,
  ...parts,
})

describe('review links', () => {
  it.each([
    ['https://g.page/r/Cabc-123/review', 'dialog'],
    ['https://search.google.com/local/writereview?placeid=ChIJ1', 'dialog'],
    ['https://www.facebook.com/acme/reviews', 'dialog'],
    ['https://g.page/acme', 'profile'],
    ['https://maps.app.goo.gl/abc', 'profile'],
    ['https://www.google.com/maps/place/Acme', 'profile'],
    ['https://reviews.example.com/acme', 'unknown'],
    ['https://m.yelp.com/biz/acme', 'forbidden'],
    ['https://notyelp.com/biz/acme', 'unknown'],
    ['g.page/r/Cabc/review', 'invalid'],
    ['javascript:alert(1)', 'invalid'],
    ['', 'invalid'],
  ])('%s: %s', (link, verdict) => expect(judgeReviewLink(link)).toBe(verdict))
})

describe('hours', () => {
  it('knows its own presets, and no other hours', () => {
    for (const preset of HOURS_PRESETS) expect(findHoursPreset(preset.week)).toBe(preset)
    const [first] = HOURS_PRESETS
    if (!first) throw new Error('There are no presets')
    expect(findHoursPreset({ ...first.week, sun: [{ opens: '09:00', closes: '10:00' }] })).toBeUndefined()
  })
})

describe('steps', () => {
  it('go on at the first question without an answer, then at the test', () => {
    expect(findNextStep([step('address'), step('business', { isDone: true }), step('crew')])).toBe('crew')
    expect(findNextStep([step('business', { isDone: true }), step('first_request')])).toBe('test')
  })

  it('are listed while they are missing and not hidden', () => {
    const steps = [step('crew'), step('hours', { isDone: true }), step('cards', { isHidden: true })]
    expect(listMissingSteps(steps).map(({ key }) => key)).toEqual(['crew'])
  })
})
