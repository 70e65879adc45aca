// API objects of a business's number and its registration.
import type { Schema } from '@/api/client'

/** Nothing was ordered yet. */
export const NUMBER_OFFER: Schema['NumberOffer'] = { why: null, limit: 1, obtained: 0, order: null }

/** A business without a number: nothing to register. */
export function buildTextingRegistration(
  parts: Partial<Schema['TextingRegistration']> = {},
): Schema['TextingRegistration'] {
  return {
    kind: null,
    number: null,
    state: null,
    reason: null,
    canSubmit: false,
    obstacle: null,
    steps: [],
    fees: null,
    confirmationPhone: null,
    submittedAt: null,
    checkedAt: null,
    meanwhile: null,
    profile: {
      legalName: 'Acme Plumbing',
      legalForm: 'private_company',
      ein: '',
      website: 'www.acme.example',
      street: '1 Main St',
      city: 'Austin',
      state: 'TX',
      zip: '78701',
      contactFirstName: 'Olivia',
      contactLastName: 'Owner',
      contactEmail: 'olivia@acme.test',
      contactPhone: '+15125550100',
      monthlyTexts: 'up_to_thousand',
    },
    kit: {
      summary: 'Acme answers requests.',
      samples: ['Acme: Thanks.'],
      optInUrl: 'https://toolbox.example/lead?org=acme',
      optInReply: 'Acme: You get texts.',
      helpReply: 'Acme: Call us.',
      privacyUrl: 'https://toolbox.example/privacy?org=acme',
      termsUrl: 'https://toolbox.example/sms-terms?org=acme',
    },
    ...parts,
  }
}
