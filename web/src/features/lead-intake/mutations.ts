import { useMutation } from '@tanstack/react-query'
import { api, type Schema, unwrap } from '@/api/client'
import { DEFAULT_LEAD_SOURCE } from '@/domain/lead'
import { getPageOrigin } from '@/features/public-form/page-origin'
import { getSubmissionKey } from '@/lib/submission-key'
import { toast } from '@/ui/toast/toast-store'
import type { LeadPhoto } from './lib/use-photos'
import { leadMessages } from './messages'
import type { LeadValues } from './schema'

/** Under this name the form's draft and its key are kept. */
export const LEAD_FORM = 'lead'

export type LeadSubmission = { values: LeadValues; photos: readonly LeadPhoto[]; context: Schema['FormContext'] }

/** The text fields that are sent: empty values are left out. */
export function toLeadFields({ values, context }: LeadSubmission): [string, string][] {
  const { marketingConsent, ...texts } = values
  const all: Record<string, string> = {
    ...texts,
    orgId: context.orgId,
    source: DEFAULT_LEAD_SOURCE,
    formToken: context.formToken,
    marketingConsent: marketingConsent ? 'true' : '',
    ...getPageOrigin(),
  }
  return Object.entries(all).filter(([, value]) => value !== '')
}

function toFormData(submission: LeadSubmission): FormData {
  const body = new FormData()
  for (const [field, value] of toLeadFields(submission)) body.append(field, value)
  for (const { file, name } of submission.photos) body.append('photos', file, name)
  return body
}

function sendLead(submission: LeadSubmission): Promise<Schema['Created']> {
  const content = [toLeadFields(submission), submission.photos.map(({ name, file }) => [name, file.size])]
  const { name, phone, service, zip } = submission.values
  return unwrap(
    api.POST('/api/leads/create', {
      params: { header: { 'Idempotency-Key': getSubmissionKey(LEAD_FORM, content) } },
      // The body is made by the serializer, for files have no place in JSON; this one satisfies the type.
      body: { name, phone, service, zip },
      bodySerializer: () => toFormData(submission),
    }),
  )
}

export function useSendLead() {
  return useMutation({
    mutationFn: sendLead,
    onSuccess: (receipt) => {
      toast.success(leadMessages.success.title, leadMessages.success.description(receipt))
    },
    meta: { failure: leadMessages.failure, failureIsFixed: true },
  })
}
