// What is read and sent when a customer is asked for a review by hand.
// TO BE REPLACED by the generated types as soon as src/api/schema.d.ts has them: until then this is the contract, typed by hand.

export type RequestPreview = {
  canAsk: boolean
  needsOverride: boolean
  channel?: 'sms' | 'email' | null
  to?: string | null
  text?: string | null
  at?: string | null
  followUps: string[]
  why: string
  lastAskedAt?: string | null
}
export type Requested = { askId: string; channel: 'sms' | 'email'; to: string; at: string; customerName: string }

/** The lead or the job whose customer is asked. */
export type AskedFor = { kind: 'lead' | 'job'; id: string }
