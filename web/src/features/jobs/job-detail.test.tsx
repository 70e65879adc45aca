import { screen, waitFor, within } from '@testing-library/react'
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { buildId, buildProblem, buildUser } from '@/testing/builders'
import { type FakeServer, buildProblemResponse } from '@/testing/fake-server'
import { buildFile, buildJobDetail, buildSteps } from '@/testing/job-builders'
import { loadJobScreens } from '@/testing/load-screens'
import { getCard, northCrew, openJob, lastRequestBody, startJobServer } from '@/testing/open-job'
import { openTab } from '@/testing/open-lead'
import { buildWorkEvent } from '@/testing/paper-builders'
import { renderApp } from '@/testing/render-app'

let server: FakeServer
const AT = '2027-03-02T14:00:00.000Z'

const fileRow = (name: string) => within(screen.getByText(name, { selector: 'p' }).closest('li') ?? document.body)
/** The answers as the page gives them, by their names. */
const factIn = (title: string, label: string) => getCard(title).getByText(label).nextElementSibling

beforeAll(loadJobScreens)

beforeEach(() => {
  server = startJobServer()
})

describe('job page', () => {
  it('phone that was only typed: says why it gets no texts about the visit', async () => {
    const why = 'their number was only typed into the booking form, and they confirmed by email'
    await openJob(server, { customerNoVisitText: why })
    expect(factIn('Job Details', 'Phone')).toHaveTextContent(`No texts about the visit: ${why}.`)
  })

  it('customer whom no message about the visit can reach: says why', async () => {
    const why = 'they said STOP and there is no email address. Call them.'
    await openJob(server, { customerNoVisitText: 'they said STOP', customerVisitUnreachable: why })
    const phone = factIn('Job Details', 'Phone')
    expect(phone).toHaveTextContent(`No message about the visit can reach them: ${why}`)
    expect(phone).not.toHaveTextContent('No texts about the visit')
  })

  it('shows work, customer, place, time, crew and price', async () => {
    const { person } = await openJob(server, {
      scheduledAt: AT,
      endsAt: '2027-03-02T16:30:00.000Z',
      arrivalMinutes: 30,
      estimatedDuration: 150,
      crewAssigned: 'North crew',
      crewId: northCrew.id,
      priority: 'High',
      materialsNeeded: ['Tap', 'Tape'],
      specialInstructions: 'Gate code 4711',
      weatherConcerns: 'Rain',
      notes: [{ id: buildId(), body: 'Valve is in the cellar.', author: 'Dave', at: AT }],
    })
    expect(screen.getByRole('heading', { level: 1, name: 'Plumbing' })).toBeInTheDocument()
    expect(screen.getByText('Scheduled', { selector: 'header span' })).toBeInTheDocument()
    expect(screen.getByText('High')).toBeInTheDocument()
    expect(screen.getByText('The kitchen tap drips.')).toBeInTheDocument()
    expect(factIn('Job Details', 'Customer')).toHaveTextContent('Carla Customer')
    expect(screen.getByRole('link', { name: '(312) 555-0199' })).toHaveAttribute('href', 'tel:+13125550199')
    expect(screen.getByRole('link', { name: /^12 Oak St, 60601/ })).toHaveAttribute(
      'href',
      'https://maps.google.com/?q=12%20Oak%20St%2C%2060601',
    )
    expect(factIn('Job Details', 'Scheduled')).toHaveTextContent(
      'Mar 2, 2027, 8:00 AM – 10:30 AMArrival between 8:00 AM and 8:30 AM (30 min)',
    )
    expect(factIn('The Work', 'Crew')).toHaveTextContent('North crew')
    expect(factIn('The Work', 'Estimated duration')).toHaveTextContent('2 h 30 min')
    expect(factIn('The Work', 'Materials')).toHaveTextContent('TapTape')
    expect(factIn('The Work', 'Special instructions')).toHaveTextContent('Gate code 4711')
    expect(factIn('The Work', 'Weather')).toHaveTextContent('Rain')
    expect(getCard('Crew Notes').getByText('Valve is in the cellar.')).toBeInTheDocument()
    expect(factIn('Job Details', 'Crew')).toHaveTextContent(/^North crew$/)
    await openTab(person, 'Money')
    await screen.findByRole('heading', { name: 'Money' })
    expect(factIn('Money', 'Total estimate')).toHaveTextContent('$1,250.00')
    expect(factIn('Money', 'Deposit received')).toHaveTextContent('$350.00')
    expect(factIn('Money', 'Balance due')).toHaveTextContent('$900.00')
  })

  it('without a crew: one is assigned from the details', async () => {
    const { person } = await openJob(server, { scheduledAt: AT })
    await person.click(getCard('Job Details').getByRole('button', { name: 'Assign a crew' }))
    expect(await screen.findByRole('dialog', { name: 'Reassign' })).toBeInTheDocument()
  })

  it.each([
    ['assign', 'Reassign'],
    ['schedule', 'Change the time'],
  ])('link that asks to %s: opens it', async (action, title) => {
    const job = buildJobDetail({ scheduledAt: AT })
    server.on('GET', `/api/jobs/${job.id}`, { body: job })
    renderApp(`/app/jobs/${job.id}?do=${action}`)
    expect(await screen.findByRole('dialog', { name: title })).toBeInTheDocument()
  })

  it('shows approved extra work without prices', async () => {
    await openJob(server, {
      extraWork: [
        {
          number: 'CO-1001',
          title: 'Rotten subfloor',
          lines: [{ name: 'New subfloor', description: 'Marine plywood', quantity: '2.5 sq ft', isCredit: false }],
        },
      ],
    })
    expect(factIn('The Work', 'Extra work')).toHaveTextContent(
      'Rotten subfloor CO-1001New subfloor, 2.5 sq ftMarine plywood',
    )
  })

  it('orders its sections, behind tabs', async () => {
    const { person } = await openJob(server)
    const sections = () => screen.getAllByRole('heading', { level: 2 }).map((heading) => heading.textContent)
    const behind = async (tab: string) => {
      await openTab(person, tab)
      return sections().slice(1)
    }
    expect(sections()).toEqual(['Job Details', 'The Work', 'Crew Notes'])
    expect(await behind('Files')).toEqual(['Automated Content'])
    expect(await behind('Money')).toEqual(['Money', 'Costs', 'Change orders', 'Invoices'])
    await openTab(person, 'Timeline')
    expect(await screen.findByRole('heading', { name: 'Tracking Timeline' })).toBeInTheDocument()
    await openTab(person, 'Automation')
    expect(await screen.findByRole('heading', { name: 'Automation Status' })).toBeInTheDocument()
  })

  it('a note that is being written survives another tab', async () => {
    const { person } = await openJob(server)
    await person.type(screen.getByLabelText('New note'), 'Dog')
    await openTab(person, 'Money')
    await openTab(person, 'Work')
    expect(screen.getByLabelText('New note')).toHaveValue('Dog')
  })

  it('hides money, documents and the request from the crew', async () => {
    server.on('GET', '/api/auth/me', { body: buildUser({ role: 'crew' }) })
    await openJob(server, {
      agreed: null,
      estimateTotal: null,
      depositAmount: null,
      balanceDue: null,
      value: null,
      customerEmail: null,
      scheduledAt: AT,
    })
    expect(screen.queryByRole('heading', { name: 'Money' })).not.toBeInTheDocument()
    expect(screen.queryByRole('heading', { name: 'Change orders' })).not.toBeInTheDocument()
    expect(screen.queryByRole('tab', { name: 'Documents' })).not.toBeInTheDocument()
    expect(screen.queryByRole('link', { name: 'Carla Customer' })).not.toBeInTheDocument()
    expect(screen.queryByText(/\$/)).not.toBeInTheDocument()
    expect(screen.getByRole('button', { name: 'On my way' })).toBeInTheDocument()
  })

  it('unknown job: shows not found with a way back', async () => {
    server.on('GET', '/api/jobs/nope', buildProblemResponse(buildProblem(404, 'not_found')))
    renderApp('/app/jobs/nope')
    expect(await screen.findByRole('heading', { name: 'Job Not Found' })).toBeInTheDocument()
    expect(screen.getByText("The job you're looking for doesn't exist.")).toBeInTheDocument()
    expect(screen.getByRole('link', { name: 'Back to Jobs' })).toHaveAttribute('href', '/app/jobs')
  })

  it('lists the eleven steps with who, when and how, and the history', async () => {
    const timeline = buildSteps({ 0: 'completed', 1: 'automated', 6: 'current', 7: 'current' })
    Object.assign(timeline[1] ?? {}, { at: AT, by: 'Toolbox', how: 'by text: delivered' })
    const { person } = await openJob(
      server,
      {
        status: 'In Progress',
        timeline,
        events: [
          buildWorkEvent({ title: 'Job created', kind: 'job_created' }),
          buildWorkEvent({ title: 'Job cancelled', kind: 'cancelled', undone: true, detail: { reason: 'Too wet' } }),
        ],
      },
      'timeline',
    )
    const steps = within(await screen.findByRole('list', { name: 'Steps of this job' })).getAllByRole('listitem')
    expect(steps).toHaveLength(11)
    expect(steps[1]).toHaveTextContent('Automated')
    expect(steps[1]).toHaveTextContent('Mar 2, 2027, 8:00 AM · Toolbox · by text: delivered')
    expect(steps.filter((step) => step.getAttribute('aria-current') === 'step')).toEqual([steps[6], steps[7]])
    await person.click(screen.getByText('Everything that happened (2)'))
    const happened = getCard('Tracking Timeline').getAllByRole('listitem').slice(11)
    expect(happened[0]).toHaveTextContent(/Job cancelled.*Too wet.*undone/)
    expect(happened[1]).toHaveTextContent('Job created')
  })

  it('shows active automations and sent messages', async () => {
    await openJob(
      server,
      {
        automation: [
          { name: 'Auto-reply', isOn: true, detail: 'The answer by text: delivered.' },
          { name: 'Reminders', isOn: false, detail: 'No reminder waits.' },
        ],
        messages: [{ kind: 'auto_reply', at: AT, channel: 'sms', statusText: 'delivered' }],
      },
      'automation',
    )
    await screen.findByRole('heading', { name: 'Automation Status' })
    const card = getCard('Automation Status')
    expect(card.getByText('Auto-reply: on')).toBeInTheDocument()
    expect(card.getByText('Reminders: off')).toBeInTheDocument()
    expect(card.getByText('Automatic reply').parentElement).toHaveTextContent(
      'Automatic reply by SMSdelivered, Mar 2, 2027, 8:00 AM',
    )
  })
})

describe('notes and checklist', () => {
  it('a note is added once, and kept when it fails', async () => {
    const { job, person } = await openJob(server)
    server.on(
      'POST',
      `/api/jobs/${job.id}/notes`,
      buildProblemResponse(buildProblem(503, 'unavailable', { detail: 'The database is away.' })),
    )
    await person.type(screen.getByLabelText('New note'), 'Dog in the yard')
    await person.click(screen.getByRole('button', { name: 'Add note' }))
    expect(await screen.findByText('Note not added')).toBeInTheDocument()
    expect(screen.getByLabelText('New note')).toHaveValue('Dog in the yard')
    server.on('POST', `/api/jobs/${job.id}/notes`, {
      status: 201,
      body: { id: buildId(), body: 'Dog in the yard', author: 'Olivia Owner', at: AT },
    })
    await person.click(screen.getByRole('button', { name: 'Add note' }))
    await waitFor(() => expect(screen.getByLabelText('New note')).toHaveValue(''))
    const keys = server.requests
      .filter(({ method }) => method === 'POST')
      .map(({ headers }) => headers.get('Idempotency-Key'))
    expect(keys).toHaveLength(2)
    expect(new Set(keys).size).toBe(1)
  })

  it('a ticked line shows by whom and when', async () => {
    const line = { id: buildId(), label: 'Water off', doneAt: null, doneBy: null }
    const { job, person } = await openJob(server, {
      checklist: [line, { ...line, id: buildId(), label: 'Floor covered', doneAt: AT, doneBy: 'Dave' }],
    })
    expect(screen.getByText('1 of 2 done')).toBeInTheDocument()
    expect(screen.getByText('Dave, Mar 2, 2027, 8:00 AM')).toBeInTheDocument()
    server.on('PATCH', `/api/jobs/${job.id}/checklist/${line.id}`, {
      body: { ...job, checklist: [{ ...line, doneAt: AT, doneBy: 'Olivia Owner' }] },
    })
    await person.click(screen.getByRole('checkbox', { name: 'Water off' }))
    expect(await screen.findByText('1 of 1 done')).toBeInTheDocument()
    expect(await lastRequestBody(server, 'PATCH', `/api/jobs/${job.id}/checklist/${line.id}`)).toMatchObject({
      done: true,
    })
  })
})

describe('job files', () => {
  const before = buildFile({ name: 'tap.jpg', moment: 'before', size: 250_000 })
  const after = buildFile({ name: 'new-tap.jpg', moment: 'after', category: 'completion_photo' })
  const paper = buildFile({
    name: 'Carla - Estimate EST-1001.pdf',
    type: 'document',
    category: 'estimate',
    moment: null,
    thumbUrl: null,
    status: 'viewed',
    sentVia: 'email',
    sentAt: AT,
    size: 3_400_000,
    by: null,
  })

  it('show each photo with badges and full size', async () => {
    const { job, person } = await openJob(server, { files: [after, before] }, 'files')
    const card = getCard('Automated Content')
    expect(card.getAllByRole('heading', { level: 3 }).map((heading) => heading.textContent)).toEqual([
      'Before the work (1)',
      'After the work (1)',
    ])
    const row = fileRow('tap.jpg')
    expect(row.getByText('Progress photo')).toBeInTheDocument()
    expect(row.getByText('Not sent')).toBeInTheDocument()
    expect(row.getByText('244.1 KB · Job Tracker · Nov 20, 2026 · Olivia Owner')).toBeInTheDocument()
    expect(row.getByRole('link', { name: /^Download/ })).toHaveAttribute('href', `/api/files/${before.id}?download=1`)
    expect(card.getByRole('link', { name: 'Download all' })).toHaveAttribute(
      'href',
      `/api/jobs/${job.id}/files.zip?type=photo`,
    )
    await person.click(row.getByRole('button', { name: /^View/ }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Photo 1 of 2' }))
    expect(dialog.getByRole('img', { name: 'tap.jpg' })).toHaveAttribute('src', before.url)
    await person.click(dialog.getByRole('button', { name: 'Next' }))
    expect(await screen.findByRole('dialog', { name: 'Photo 2 of 2' })).toBeInTheDocument()
  })

  it('show an annotated copy beside its original, with a badge', async () => {
    const request = buildFile({ name: 'drip.jpg', moment: null, automationTool: 'lead_intake', by: 'Carla Customer' })
    const ofRequest = buildFile({ name: 'drip (marked).jpg', madeFrom: request.id })
    const again = buildFile({ name: 'drip (marked) (marked).jpg', moment: 'during', madeFrom: ofRequest.id })
    const alone = buildFile({ name: 'wall (marked).jpg', madeFrom: buildId() })
    await openJob(server, { files: [again, alone, before, ofRequest, request] }, 'files')
    const names = (group: string) =>
      within(screen.getByRole('region', { name: group }))
        .getAllByRole('listitem')
        .map((row) => row.querySelector('p')?.textContent)
    expect(names('From the request')).toEqual(['drip.jpg', 'drip (marked).jpg', 'drip (marked) (marked).jpg'])
    expect(names('Before the work')).toEqual(['wall (marked).jpg', 'tap.jpg'])
    expect(fileRow('drip (marked).jpg').getByText('Marked')).toBeInTheDocument()
    expect(fileRow('wall (marked).jpg').getByText('Marked')).toBeInTheDocument()
    expect(fileRow('drip.jpg').queryByText('Marked')).not.toBeInTheDocument()
  })

  it('show each document with its delivery; generated ones cannot be removed', async () => {
    const { job, person } = await openJob(server, { files: [paper] }, 'files')
    await person.click(screen.getByRole('tab', { name: 'Documents' }))
    const row = fileRow(paper.name)
    expect(row.getByText('Estimate')).toBeInTheDocument()
    expect(row.getByText('Viewed')).toBeInTheDocument()
    expect(row.getByText(/^3\.2 MB · Email · Mar 2, 2027/)).toBeInTheDocument()
    expect(row.getByRole('link', { name: /^View/ })).toHaveAttribute('href', paper.url)
    expect(row.queryByRole('button', { name: /^Remove/ })).not.toBeInTheDocument()
    expect(screen.getByRole('link', { name: 'Download all' })).toHaveAttribute(
      'href',
      `/api/jobs/${job.id}/files.zip?type=document`,
    )
  })

  it('name the kind of each document', async () => {
    const document = (name: string, parts: Parameters<typeof buildFile>[0]) =>
      buildFile({ ...paper, id: `id-${name}`, name, ...parts })
    const files = [
      document('one.pdf', { paper: 'signed_estimate' }),
      document('two.pdf', { category: 'invoice', paper: 'receipt' }),
      document('three.pdf', { paper: 'upload' }),
      document('four.pdf', { paper: 'signed_change_order' }),
    ]
    const { person } = await openJob(server, { files }, 'files')
    await person.click(screen.getByRole('tab', { name: 'Documents' }))
    expect(fileRow('one.pdf').getByText('Signed estimate')).toBeInTheDocument()
    expect(fileRow('two.pdf').getByText('Receipt')).toBeInTheDocument()
    expect(fileRow('four.pdf').getByText('Signed change order')).toBeInTheDocument()
    expect(fileRow('three.pdf').getByText('Estimate')).toBeInTheDocument()
    expect(fileRow('three.pdf').getByText('Added manually')).toBeInTheDocument()
  })

  it('remove a photo after a confirmation', async () => {
    const { person } = await openJob(server, { files: [before] }, 'files')
    server.on('DELETE', `/api/files/${before.id}`, { status: 204 })
    await person.click(screen.getByRole('button', { name: 'Remove tap.jpg' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Remove this file?' }))
    await person.click(dialog.getByRole('button', { name: 'Remove' }))
    expect(await screen.findByText('File removed')).toBeInTheDocument()
  })

  it('upload photos as taken before, and retry failures under the same key', async () => {
    vi.stubGlobal('createImageBitmap', async () => ({ width: 100, height: 80, close: () => undefined }))
    // What jsdom makes of a form cannot be read back from the request.
    const append = vi.spyOn(FormData.prototype, 'append')
    const { job, person } = await openJob(server, {}, 'files')
    const path = `/api/jobs/${job.id}/files`
    server.on(
      'POST',
      path,
      buildProblemResponse(
        buildProblem(507, 'storage_full', { detail: 'Your file space of 5 GB is full. Remove files you do not need.' }),
      ),
    )
    const input = getCard('Automated Content')
      .getByRole('tabpanel', { name: 'Photos' })
      .querySelector('input[type=file]')
    await person.upload(input as HTMLInputElement, [new File(['a'], 'wall.png', { type: 'image/png' })])
    expect(
      await screen.findByText('Your file space of 5 GB is full. Remove files you do not need.'),
    ).toBeInTheDocument()
    expect(screen.getByText('wall.png')).toBeInTheDocument()
    server.on('POST', path, { status: 201, body: [before] })
    server.on('GET', `/api/jobs/${job.id}`, { body: { ...job, files: [before] } })
    await person.click(screen.getByRole('button', { name: 'Try again' }))
    expect(await screen.findByText('tap.jpg', { selector: 'p' })).toBeInTheDocument()
    const sent = server.requests.filter(
      (request) => request.method === 'POST' && new URL(request.url).pathname === path,
    )
    expect(new Set(sent.map(({ headers }) => headers.get('Idempotency-Key'))).size).toBe(1)
    expect(append.mock.calls.slice(-2)).toEqual([
      ['moment', 'before'],
      ['files', expect.any(File), 'wall.png'],
    ])
  })
})
