// Sends a request for a quote.
import { useMutation } from '@tanstack/react-query'
import { api, type Schema, unwrap } from '@/api/client'
import { pageOrigin } from '@/features/public-form/page-origin'
import { submissionKey } from '@/lib/submission-key'
import { quoteMessages } from './messages'
import type { QuoteValues } from './schema'

/** Under this name the form's draft and its key are kept. */
export const QUOTE_FORM = 'quote'

export type QuoteSubmission = { values: QuoteValues; context: Schema['FormContext'] }

/** The request's body: optional fields left empty are not sent. */
export function quoteBody({ values, context }: QuoteSubmission): Schema['QuoteRequest'] {
  const { customerName, email, serviceType, marketingConsent, ...optional } = values
  const texts = { ...optional, ...pageOrigin() }
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
  const body = quoteBody(submission)
  return unwrap(
    api.POST('/api/quotes/create', {
      params: { header: { 'Idempotency-Key': submissionKey(QUOTE_FORM, body) } },
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
