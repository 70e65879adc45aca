import { useMutation } from '@tanstack/react-query'
import { api, type Schema, unwrap } from '@/api/client'
import { getPageOrigin } from '@/features/public-form/page-origin'
import { getSubmissionKey } from '@/lib/submission-key'
import { quoteMessages } from './messages'
import type { QuoteValues } from './schema'

/** Under this name the form's draft and its key are kept. */
export const QUOTE_FORM = 'quote'

export type QuoteSubmission = { values: QuoteValues; context: Schema['FormContext'] }

/** The request's body: optional fields left empty are not sent. */
export function toQuoteRequest({ values, context }: QuoteSubmission): Schema['QuoteRequest'] {
  const { customerName, email, serviceType, marketingConsent, ...optional } = values
  const texts = { ...optional, ...getPageOrigin() }
  const filled = Object.fromEntries(Object.entries(texts).filter(([, value]) => value !== ''))
  return {
    customerName,
    email,
    serviceType,
    ...filled,
    marketingConsent,
    orgId: context.orgId,
    formToken: context.formToken,
  }
}

function sendQuote(submission: QuoteSubmission): Promise<Schema['Created']> {
  const body = toQuoteRequest(submission)
  return unwrap(
    api.POST('/api/quotes/create', {
      params: { header: { 'Idempotency-Key': getSubmissionKey(QUOTE_FORM, body) } },
      body,
    }),
  )
}

export function useSendQuote() {
  return useMutation({
    mutationFn: sendQuote,
    meta: { failure: quoteMessages.failure, failureIsFixed: true },
  })
}
