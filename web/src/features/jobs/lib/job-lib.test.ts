import { describe, expect, it } from 'vitest'
import { buildFile, buildJob } from '@/testing/job-builders'
import { NO_JOB_FILTERS } from '../queries'
import type { AddJobValues, EditJobValues } from '../schema'
import type { JobDetail } from '../types'
import { getNextAction, getOtherActions } from './actions'
import { splitIntoBatches, prepareFile } from './file-rules'
import { toJobChange, toNewJob } from './job-request'
import { mapHref } from './map-href'
import { matchesFilters } from './matches-filters'
import { findOverlaps } from './overlaps'
import { groupPhotos } from './photo-groups'

const AT = '2026-11-24T14:00:00.000Z'
const buildState = (status: JobDetail['status'], scheduledAt: string | null = AT) => ({ status, scheduledAt })

describe('next job action', () => {
  it.each([
    ['Scheduled', null, true, 'Schedule'],
    ['Scheduled', null, false, 'Start'],
    ['Scheduled', AT, true, 'Start'],
    ['In Progress', AT, true, 'Done'],
    ['Completed', AT, true, undefined],
    ['Cancelled', AT, true, 'Restore'],
    ['Cancelled', AT, false, undefined],
  ] as const)('of a %s job at %s, office %s: %s', (status, at, isOffice, label) => {
    expect(getNextAction(buildState(status, at), isOffice)?.label).toBe(label)
  })

  it('other actions are under More, none twice', () => {
    const labels = (status: JobDetail['status'], at: string | null, isOffice = true) =>
      getOtherActions(buildState(status, at), isOffice).map(({ label }) => label)
    expect(labels('Scheduled', AT)).toEqual([
      'Open on site',
      'Done',
      'Change the time',
      'Reassign',
      'Add photos',
      'Edit the job',
      'Take off the schedule',
      'Cancel the job',
    ])
    expect(labels('Scheduled', null)).toEqual([
      'Start',
      'Done',
      'Reassign',
      'Add photos',
      'Edit the job',
      'Cancel the job',
    ])
    expect(labels('In Progress', AT)).toEqual([
      'Open on site',
      'Not started after all',
      'Reassign',
      'Add photos',
      'Edit the job',
      'Cancel the job',
    ])
    expect(labels('Completed', AT)).toEqual(['Request Review', 'Reopen', 'Add photos', 'Edit the job'])
    expect(labels('Cancelled', AT)).toEqual(['Add photos'])
  })

  it('scheduling, crews and completion are for the office', () => {
    for (const status of ['Scheduled', 'In Progress', 'Completed', 'Cancelled'] as const) {
      const labels = getOtherActions(buildState(status), false).map(({ label }) => label)
      for (const label of ['Change the time', 'Reassign', 'Edit the job', 'Take off the schedule', 'Cancel the job'])
        expect(labels).not.toContain(label)
    }
  })
})

describe('job overlap', () => {
  const slot = { startsAt: AT, minutes: 120 }
  const busy = (date: string, endsAt: string) => buildJob({ date, endsAt })

  it('is any shared time, touching edges excluded', () => {
    const before = busy('2026-11-24T12:00:00.000Z', AT)
    const within = busy('2026-11-24T15:00:00.000Z', '2026-11-24T15:30:00.000Z')
    const across = busy('2026-11-24T13:00:00.000Z', '2026-11-24T18:00:00.000Z')
    const after = busy('2026-11-24T16:00:00.000Z', '2026-11-24T17:00:00.000Z')
    expect(findOverlaps([before, within, across, after], slot, 'own')).toEqual([within, across])
  })

  it('ignores itself, done, cancelled and unscheduled jobs', () => {
    const times = { date: AT, endsAt: '2026-11-24T16:00:00.000Z' }
    const own = buildJob(times)
    const rest = [buildJob({ ...times, status: 'Completed' }), buildJob({ ...times, status: 'Cancelled' }), buildJob()]
    expect(findOverlaps([own, ...rest], slot, own.id)).toEqual([])
  })
})

describe('local job filters', () => {
  const job = buildJob({
    number: 1012,
    customer: 'Ben Builder',
    service: 'hvac',
    location: '5 Elm Ave',
    status: 'In Progress',
    crewId: 'c1',
  })

  it.each(['ben', 'HVAC', 'elm', '1012', '#1012', '  '])('match %s', (q) =>
    expect(matchesFilters(job, { ...NO_JOB_FILTERS, q })).toBe(true),
  )
  it.each(['roofing', '1013'])('do not match %s', (q) =>
    expect(matchesFilters(job, { ...NO_JOB_FILTERS, q })).toBe(false),
  )

  it('match status and crew exactly', () => {
    expect(matchesFilters(job, { ...NO_JOB_FILTERS, status: 'in_progress', crewId: 'c1' })).toBe(true)
    expect(matchesFilters(job, { ...NO_JOB_FILTERS, status: 'scheduled' })).toBe(false)
    expect(matchesFilters(job, { ...NO_JOB_FILTERS, crewId: 'c2' })).toBe(false)
  })
})

describe('job request', () => {
  const empty: AddJobValues = {
    who: 'lead',
    leadId: 'l1',
    name: '',
    phone: '',
    email: '',
    service: '',
    description: '',
    address: '',
    zip: '',
    day: '',
    time: '',
    crewId: '',
    priority: 'standard',
    value: '',
  }

  it('omits empty fields so that the lead’s apply', () =>
    expect(toNewJob(empty, 'America/Chicago')).toEqual({ leadId: 'l1', priority: 'standard' }))

  it('reads time on the business’s clock, and amounts as typed', () => {
    const values = {
      ...empty,
      who: 'customer',
      name: 'Ben',
      phone: '312-555-0100',
      address: '5 Elm Ave',
      day: '2026-11-24',
      time: '08:00',
      crewId: 'c1',
      value: '$1,250.50',
    } as const
    expect(toNewJob(values, 'America/Chicago')).toEqual({
      customer: { name: 'Ben', phone: '312-555-0100', address: '5 Elm Ave' },
      address: '5 Elm Ave',
      crewId: 'c1',
      priority: 'standard',
      startsAt: AT,
      value: 1250.5,
    })
  })

  it('of an edit: only changed fields, emptied ones as null', () => {
    const began: EditJobValues = {
      service: 'Plumbing',
      description: 'Tap',
      address: '5 Elm Ave',
      zip: '',
      priority: 'standard',
      value: '100.00',
      materials: ['Tap'],
      specialInstructions: '',
      weatherConcerns: '',
      requiredPhotos: 'none',
      checklist: [],
    }
    expect(toJobChange({ ...began, address: '', value: '', materials: ['Tap', 'Tape'] }, began, 4)).toEqual({
      version: 4,
      address: null,
      value: null,
      materials: ['Tap', 'Tape'],
    })
    expect(toJobChange(began, began, 4)).toEqual({ version: 4 })
  })
})

describe('job files', () => {
  it('are grouped by moment, request first, without empty groups', () => {
    const [after, before, asked] = [
      buildFile({ moment: 'after' }),
      buildFile({ moment: 'before' }),
      buildFile({ moment: null, automationTool: 'lead_intake' }),
    ]
    expect(groupPhotos([after, before, asked])).toEqual([
      { name: 'From the request', photos: [asked] },
      { name: 'Before the work', photos: [before] },
      { name: 'After the work', photos: [after] },
    ])
  })

  it('are sent five at a time', () => {
    const files = Array.from({ length: 7 }, (_, at) => new File(['x'], `${at}.pdf`, { type: 'application/pdf' }))
    expect(splitIntoBatches(files).map((batch) => batch.length)).toEqual([5, 2])
    expect(splitIntoBatches([])).toEqual([])
  })

  it('refused ones get their own message', async () => {
    const text = new File(['x'], 'list.txt', { type: 'text/plain' })
    const large = new File([new Uint8Array(10 * 1024 * 1024 + 1)], 'plan.pdf', { type: 'application/pdf' })
    const paper = new File(['x'], 'permit.pdf', { type: 'application/pdf' })
    expect(await prepareFile(text, 'photo')).toEqual({ refused: 'list.txt is not an image. Please choose PNG or JPG.' })
    expect(await prepareFile(text, 'document')).toEqual({ refused: 'list.txt is not a PDF. Documents are PDF files.' })
    expect(await prepareFile(large, 'document')).toEqual({
      refused: 'plan.pdf is larger than 10MB. Please choose a smaller one.',
    })
    expect(await prepareFile(paper, 'document')).toEqual({ file: paper })
  })
})

it('map link: opens the address, none without one', () => {
  expect(mapHref({ address: '12 Oak St', zip: '60601' })).toBe('https://maps.google.com/?q=12%20Oak%20St%2C%2060601')
  expect(mapHref({ address: null, zip: null })).toBeUndefined()
})
