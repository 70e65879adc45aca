import { describe, expect, it } from 'vitest'
import { findSettingsTopics, findTopicOfOldLink, listSettingsTopics, SETTINGS_TOPICS } from './settings-topics'

const find = (typed: string) => findSettingsTopics(SETTINGS_TOPICS, typed).map(({ slug }) => slug)

describe('search of settings topics', () => {
  it.each([
    ['hours', 'hours'],
    ['holiday', 'hours'],
    ['sales tax', undefined],
    ['tax', 'estimates'],
    ['STRIPE', 'card-payments'],
    ['missed c', 'missed-calls'],
    ['10dlc', 'daily-limits'],
    ['invite', 'people'],
    ['wording', 'templates'],
    ['  ', undefined],
    ['[(', undefined],
  ])('%s: %s first', (typed, slug) => expect(find(typed)[0]).toBe(slug))

  it('label before keyword', () => expect(find('number')[0]).toBe('texting-number'))
})

it('each topic has a slug of its own', () =>
  expect(new Set(SETTINGS_TOPICS.map(({ slug }) => slug)).size).toBe(SETTINGS_TOPICS.length))

it('topics for the owner are not listed for the office', () => {
  const left = listSettingsTopics(true).filter((topic) => !listSettingsTopics(false).includes(topic))
  expect(left.map(({ slug }) => slug)).toEqual(['data', 'developers'])
})

it.each([
  ['organization', '#texting', 'texting-number'],
  ['money', '', 'card-payments'],
  ['money', '#papers', 'estimates'],
  ['developers', '', 'developers'],
  ['automation', '', undefined],
  [null, '#crews', 'crews'],
  [null, '', undefined],
])('former address with tab %s and hash %s: %s', (tab, hash, slug) => expect(findTopicOfOldLink(tab, hash)).toBe(slug))
