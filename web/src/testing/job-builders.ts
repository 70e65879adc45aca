import type { Schema } from '@/api/client'
import { buildId } from './builders'

export function buildJob(parts: Partial<Schema['JobSummary']> = {}): Schema['JobSummary'] {
  return {
    id: buildId(),
    number: 1007,
    customer: 'Carla Customer',
    customerId: buildId(),
    leadId: buildId(),
    service: 'plumbing',
    location: '12 Oak St',
    crew: 'Unassigned',
    crewId: null,
    date: null,
    endsAt: null,
    durationMinutes: 120,
    status: 'Scheduled',
    priority: 'Standard',
    priorityLevel: 'standard',
    value: 1250,
    onMyWayAt: null,
    version: 1,
    conflicts: 0,
    paymentFailed: false,
    ...parts,
  }
}

const STEPS = [
  'Lead received',
  'Auto-reply sent',
  'Seen by you',
  'Estimate sent',
  'Estimate approved',
  'Job scheduled',
  'On the way',
  'Work and photos',
  'Job completed',
  'Invoiced and paid',
  'Review asked for',
]

export function buildSteps(statuses: Partial<Record<number, Schema['Step']['status']>> = {}): Schema['Step'][] {
  return STEPS.map((title, step) => ({
    step,
    title,
    description: '',
    status: statuses[step] ?? 'pending',
    at: null,
    by: null,
    how: null,
  }))
}

export function buildJobDetail(parts: Partial<Schema['JobDetail']> = {}): Schema['JobDetail'] {
  return {
    id: buildId(),
    number: 1007,
    leadId: buildId(),
    customerId: buildId(),
    propertyId: null,
    customerName: 'Carla Customer',
    customerPhone: '+13125550199',
    customerPhoneShown: '(312) 555-0199',
    customerEmail: 'carla@home.test',
    service: 'plumbing',
    serviceDescription: 'The kitchen tap drips.',
    address: '12 Oak St',
    zip: '60601',
    scheduledAt: null,
    endsAt: null,
    arrivalMinutes: 0,
    estimateTotal: 1250,
    depositAmount: 350,
    balanceDue: 900,
    paymentFailed: false,
    value: 1250,
    status: 'Scheduled',
    priority: 'Normal',
    priorityLevel: 'standard',
    crewAssigned: 'Unassigned',
    crewId: null,
    crewNotes: null,
    notes: [],
    materialsNeeded: [],
    photosBeforeUrl: [],
    photosAfterUrl: [],
    estimatedDuration: 120,
    weatherConcerns: null,
    specialInstructions: null,
    requiredPhotos: 'none',
    checklist: [],
    onMyWayAt: null,
    etaAt: null,
    startedAt: null,
    completedAt: null,
    cancelledAt: null,
    cancelReason: null,
    confirmedAt: null,
    createdAt: '2026-11-20T15:04:05.000Z',
    lastUpdated: '2026-11-20T15:04:05.000Z',
    version: 1,
    undo: null,
    timeline: buildSteps({ 0: 'completed' }),
    events: [],
    files: [],
    automation: [],
    messages: [],
    agreed: { estimate: 1250, changeOrders: 0, total: 1250, open: 0 },
    changeOrders: [],
    extraWork: [],
    ...parts,
  }
}

export function buildFile(parts: Partial<Schema['AutomatedFile']> = {}): Schema['AutomatedFile'] {
  const id = parts.id ?? buildId()
  return {
    id,
    name: 'tap.jpg',
    type: 'photo',
    category: 'progress_photo',
    url: `/api/files/${id}`,
    thumbUrl: `/api/files/${id}?size=thumb`,
    sentAt: null,
    sentVia: null,
    automationTool: 'job_tracker',
    size: 250_000,
    status: null,
    moment: 'before',
    caption: null,
    madeFrom: null,
    createdAt: '2026-11-20T15:04:05.000Z',
    by: 'Olivia Owner',
    ...parts,
  }
}

export function buildCrew(parts: Partial<Schema['Crew']> = {}): Schema['Crew'] {
  return {
    id: buildId(),
    name: 'Dave’s crew',
    tone: 0,
    hours: null,
    isBookable: false,
    isActive: true,
    position: 0,
    members: [],
    ...parts,
  }
}
