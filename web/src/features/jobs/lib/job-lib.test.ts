// The small rules of jobs: what comes next, what overlaps, what the forms send, how photos are grouped and files chosen.
import { describe, expect, it } from 'vitest'
import { buildFile, buildJob } from '@/testing/job-builders'
import { NO_FILTERS } from '../queries'
import type { AddJobValues, EditJobValues } from '../schema'
import type { JobDetail } from '../types'
import { nextStep, otherSteps } from './actions'
import { inBatches, prepareFile } from './file-rules'
import { jobChange, newJob } from './job-body'
import { mapHref } from './map-href'
import { matchesFilters } from './matches-filters'
import { overlapping } from './overlaps'
import { groupPhotos } from './photo-groups'

const AT = '2026-11-24T14:00:00.000Z'
const standing = (status: JobDetail['status'], scheduledAt: string | null = AT) => ({ status, scheduledAt })

describe('the next step', () => {
  it.each([
    ['Scheduled', null, true, 'Schedule'],
    ['Scheduled', null, false, 'Start'],
    ['Scheduled', AT, true, 'Start'],
    ['In Progress', AT, true, 'Done'],
    ['Completed', AT, true, undefined],
    ['Cancelled', AT, true, 'Restore'],
    ['Cancelled', AT, false, undefined],
  ] as const)('of a job that is %s, at %s, for the office: %s, is %s', (status, at, isOffice, label) => {
    expect(nextStep(standing(status, at), isOffice)?.label).toBe(label)
  })

  it('leaves the rest to More, where nothing stands twice', () => {
    const labels = (status: JobDetail['status'], at: string | null, isOffice = true) =>
      otherSteps(standing(status, at), isOffice).map(({ label }) => label)
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

  it('keeps times, crews and the end of a job with the office', () => {
    for (const status of ['Scheduled', 'In Progress', 'Completed', 'Cancelled'] as const) {
      const labels = otherSteps(standing(status), false).map(({ label }) => label)
      for (const label of ['Change the time', 'Reassign', 'Edit the job', 'Take off the schedule', 'Cancel the job'])
        expect(labels).not.toContain(label)
    }
  })
})

describe('an overlap', () => {
  const slot = { startsAt: AT, minutes: 120 }
  const busy = (date: string, endsAt: string) => buildJob({ date, endsAt })

  it('is any part of the time, and not a touching edge', () => {
    const before = busy('2026-11-24T12:00:00.000Z', AT)
    const within = busy('2026-11-24T15:00:00.000Z', '2026-11-24T15:30:00.000Z')
    const across = busy('2026-11-24T13:00:00.000Z', '2026-11-24T18:00:00.000Z')
    const after = busy('2026-11-24T16:00:00.000Z', '2026-11-24T17:00:00.000Z')
    expect(overlapping([before, within, across, after], slot, 'own')).toEqual([within, across])
  })

  it('is never with itself, nor with what is done, cancelled or has no time', () => {
    const times = { date: AT, endsAt: '2026-11-24T16:00:00.000Z' }
    const own = buildJob(times)
    const rest = [buildJob({ ...times, status: 'Completed' }), buildJob({ ...times, status: 'Cancelled' }), buildJob()]
    expect(overlapping([own, ...rest], slot, own.id)).toEqual([])
  })
})

describe('the filters on this device', () => {
  const job = buildJob({
    number: 1012,
    customer: 'Ben Builder',
    service: 'hvac',
    location: '5 Elm Ave',
    status: 'In Progress',
    crewId: 'c1',
  })

  it.each(['ben', 'HVAC', 'elm', '1012', '#1012', '  '])('find by %s', (q) =>
    expect(matchesFilters(job, { ...NO_FILTERS, q })).toBe(true),
  )
  it.each(['roofing', '1013'])('do not find by %s', (q) =>
    expect(matchesFilters(job, { ...NO_FILTERS, q })).toBe(false),
  )

  it('hold status and crew to the letter', () => {
    expect(matchesFilters(job, { ...NO_FILTERS, status: 'in_progress', crewId: 'c1' })).toBe(true)
    expect(matchesFilters(job, { ...NO_FILTERS, status: 'scheduled' })).toBe(false)
    expect(matchesFilters(job, { ...NO_FILTERS, crewId: 'c2' })).toBe(false)
  })
})

describe('what a form sends', () => {
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

  it('leaves to the lead what is not said', () =>
    expect(newJob(empty, 'America/Chicago')).toEqual({ leadId: 'l1', priority: 'standard' }))

  it('reads the time on the business’s clock, and the amount as typed', () => {
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
    expect(newJob(values, 'America/Chicago')).toEqual({
      customer: { name: 'Ben', phone: '312-555-0100', address: '5 Elm Ave' },
      address: '5 Elm Ave',
      crewId: 'c1',
      priority: 'standard',
      startsAt: AT,
      value: 1250.5,
    })
  })

  it('of a change is what changed, and what was emptied is cleared', () => {
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
    expect(jobChange({ ...began, address: '', value: '', materials: ['Tap', 'Tape'] }, began, 4)).toEqual({
      version: 4,
      address: null,
      value: null,
      materials: ['Tap', 'Tape'],
    })
    expect(jobChange(began, began, 4)).toEqual({ version: 4 })
  })
})

describe('files', () => {
  it('are grouped by the work: the request first, empty groups left out', () => {
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

  it('go five at a time', () => {
    const files = Array.from({ length: 7 }, (_, at) => new File(['x'], `${at}.pdf`, { type: 'application/pdf' }))
    expect(inBatches(files).map((batch) => batch.length)).toEqual([5, 2])
    expect(inBatches([])).toEqual([])
  })

  it('that cannot be taken get a sentence of their own', async () => {
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

it('the map opens the address, and nothing where there is none', () => {
  expect(mapHref({ address: '12 Oak St', zip: '60601' })).toBe('https://maps.google.com/?q=12%20Oak%20St%2C%2060601')
  expect(mapHref({ address: null, zip: null })).toBeUndefined()
})
