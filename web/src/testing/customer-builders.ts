// Customers and records of the merge preview, for tests.
import { buildId } from './builders'
import type { Customer, CustomerSummary, MergeSide, PersonalData } from '@/features/customers/types'

export function buildSide(parts: Partial<MergeSide> = {}): MergeSide {
  return {
    id: buildId(),
    name: 'Ann Lee',
    phones: ['(512) 555-0142'],
    emails: [],
    points: [{ kind: 'phone', shown: '(512) 555-0142', proof: 'called', isMain: true, isSetAside: false }],
    language: null,
    isStaff: false,
    isBlocked: false,
    optedOut: null,
    agreedToOffers: null,
    createdAt: '2026-11-20T15:04:05.000Z',
    leads: 0,
    jobs: 0,
    messages: 0,
    calls: 0,
    estimates: 0,
    invoices: 0,
    payments: 0,
    properties: 0,
    ...parts,
  }
}

export function buildSummary(parts: Partial<CustomerSummary> = {}): CustomerSummary {
  return {
    id: buildId(),
    name: 'Ann Lee',
    phoneShown: '(512) 555-0142',
    email: 'ann@home.test',
    openLeads: 1,
    coming: null,
    owed: 0,
    lastAt: '2026-11-20T15:04:05.000Z',
    ...parts,
  }
}

export function buildCustomer(parts: Partial<Customer> = {}): Customer {
  return {
    id: buildId(),
    name: 'Ann Lee',
    phone: '+15125550142',
    phoneShown: '(512) 555-0142',
    otherPhones: [],
    phoneProof: 'called',
    email: 'ann@home.test',
    otherEmails: [],
    otherSetAside: [],
    emailProof: 'form',
    alsoGave: [],
    setAside: [],
    language: null,
    isStaff: false,
    isBlocked: false,
    hasComplaint: false,
    smsOptOut: null,
    smsOptOutNumber: null,
    createdAt: '2026-11-20T15:04:05.000Z',
    consents: [],
    properties: [],
    otherAddresses: [],
    leads: [],
    jobs: [],
    estimates: [],
    invoices: [],
    payments: [],
    money: { quoted: 0, invoiced: 0, paid: 0, owed: 0, notInvoiced: 0 },
    thread: null,
    mergedFrom: [],
    duplicates: [],
    ...parts,
  }
}

export function buildPersonalData(customer: Customer, parts: Partial<PersonalData> = {}): PersonalData {
  return {
    customerId: customer.id,
    name: customer.name,
    requests: 1,
    messages: 3,
    photosAndFiles: 2,
    hasBegun: false,
    papers: 1,
    payments: 0,
    blockedBy: null,
    waiting: null,
    erasedAt: null,
    otherRecords: [],
    ...parts,
  }
}
