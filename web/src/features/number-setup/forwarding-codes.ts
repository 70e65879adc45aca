// Codes by which a carrier forwards the calls that nobody answers, with the number filled in.
//
// Cell networks of the GSM family (AT&T, T-Mobile): 3GPP TS 22.030, Annex B: `**004*number#` registers all conditional
// forwardings at once (no answer 61, out of reach 62, busy 67), `##004#` ends them. Verizon: `*71` is "No Answer/Busy
// Transfer", `*73` ends forwarding. Landlines: vertical service codes of North America: `*92` and `*93` for no answer,
// `*90` and `*91` for busy.

import { t } from '@/lib/i18n'

export type CarrierId = 'verizon' | 'att' | 't_mobile' | 'landline' | 'other'

export type ForwardingStep = { label: string; code: string }

export type CarrierCodes = {
  /** Dialed one after the other. */
  on: readonly ForwardingStep[]
  off: readonly ForwardingStep[]
  /** One by one, where the carrier does not take the first. */
  fallback: readonly ForwardingStep[]
  note?: string
}

export const CARRIERS: readonly { value: CarrierId; label: string }[] = [
  { value: 'verizon', label: 'Verizon' },
  { value: 'att', label: 'AT&T' },
  { value: 't_mobile', label: 'T-Mobile' },
  { value: 'landline', label: t('Landline') },
  { value: 'other', label: t('Another one') },
]

const NO_ANSWER = t('When you don’t answer')
const BUSY = t('When you’re on another call')
const OUT_OF_REACH = t('When your phone is off or has no signal')
const ALL_MISSED = t('All calls you miss')

/** The ten digits of a North American number. */
export function nationalDigits(number: string): string {
  const digits = number.replace(/\D/g, '')
  return digits.length === 11 && digits.startsWith('1') ? digits.slice(1) : digits
}

/** Carriers that do not forward to toll-free numbers are common. */
export function isTollFree(number: string): boolean {
  return /^(800|822|833|844|855|866|877|888)/.test(nationalDigits(number))
}

function buildGsmCodes(number: string, note?: string): CarrierCodes {
  const to = `1${nationalDigits(number)}`
  return {
    on: [{ label: ALL_MISSED, code: `**004*${to}#` }],
    off: [{ label: t('Turn forwarding off'), code: '##004#' }],
    fallback: [
      { label: NO_ANSWER, code: `**61*${to}#` },
      { label: BUSY, code: `**67*${to}#` },
      { label: OUT_OF_REACH, code: `**62*${to}#` },
    ],
    ...(note ? { note } : {}),
  }
}

export function getForwardingCodes(carrier: CarrierId, number: string): CarrierCodes {
  const to = nationalDigits(number)
  switch (carrier) {
    case 'verizon':
      return {
        on: [{ label: ALL_MISSED, code: `*71${to}` }],
        off: [{ label: t('Turn forwarding off'), code: '*73' }],
        fallback: [],
        note: t('Wait for the tone or the message that confirms it, then hang up.'),
      }
    case 'att':
    case 't_mobile':
      return buildGsmCodes(number)
    case 'landline':
      return {
        on: [
          { label: NO_ANSWER, code: `*92${to}` },
          { label: BUSY, code: `*90${to}` },
        ],
        off: [
          { label: t('Turn “no answer” off'), code: '*93' },
          { label: t('Turn “busy” off'), code: '*91' },
        ],
        fallback: [],
        note: t(
          'Some phone companies want a pause: dial the first three characters, wait for the tone, then dial the number. A few first ask how often it should ring.',
        ),
      }
    case 'other':
      return buildGsmCodes(
        number,
        t(
          'These codes work on most cell networks. If yours doesn’t take them, ask your carrier for “conditional call forwarding” to your Toolbox number.',
        ),
      )
  }
}

/** A link that dials the code. `#` begins a fragment, so it is escaped. */
export const dialHref = (code: string): string => `tel:${code.replaceAll('#', '%23')}`
